# The deepest chain of calls from m_run in what `gcc -fcallgraph-info=su` writes (FILE.ci): bytes of stack.
/^node:/ && /title: "/ {
    name = field("title")
    if (match($0, /[0-9]+ bytes \((static|dynamic|dynamic,bounded)\)/)) {
        own[name] = substr($0, RSTART, RLENGTH) + 0
        if ($0 ~ /bytes \(dynamic\)/) dynamic = 1
    }
}
/^edge:/ { calls[field("sourcename")] = calls[field("sourcename")] " " field("targetname") }
END {
    for (name in own) if (name ~ /(^|:)m_run$/) root = name
    if (root == "") { print "no m_run"; exit 1 }
    print dynamic ? "dynamic" : depth(root)
}

function field(key,    s)
{
    s = substr($0, index($0, key ": \"") + length(key) + 3)
    return substr(s, 1, index(s, "\"") - 1)
}

function depth(name,    n, i, part, d, most)
{
    if (name in known) return known[name]
    known[name] = 1e9       # a call of itself
    most = 0
    n = split(calls[name], part, " ")
    for (i = 1; i <= n; i++) if (part[i] in own) { d = depth(part[i]); if (d > most) most = d }
    return known[name] = own[name] + most
}
