# What driver.awk and firmware.awk read in the line of a graph that has its inputs and outputs.
function inside(text)
{
    sub(/^[^(]*\(/, "", text)
    sub(/\)[^)]*$/, "", text)
    return text
}

# "float[2,3] x, int64 y" to type[0] = "float", type[1] = "int64"; how many.
function list(text, type,    n, i, part)
{
    gsub(/\[[^\]]*\]/, "", text)
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/^ +/, "", part[i])
        type[i - 1] = substr(part[i], 1, index(part[i], " ") - 1)
        name_of[i - 1] = substr(part[i], index(part[i], " ") + 1)
    }
    return n
}
