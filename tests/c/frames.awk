# The deepest chain of calls from m_run in assembler text of x86-64 (gcc -S, clang -S): bytes of stack. Counted are what
# is pushed and subtracted, the most that alignment may skip, return addresses, and what lies below the stack pointer.
{ sub(/[ \t]*#.*/, "") }
/^[A-Za-z_][A-Za-z0-9_.$]*:/ { name = substr($1, 1, length($1) - 1); own[name] = 8; next }
name == "" { next }
$1 ~ /^push/ { own[name] += 8 }
/%rsp *$/ && $2 ~ /^\$-?[0-9]+,$/ {
    n = substr($2, 2) + 0
    if ($1 ~ /^sub/) set(sub_, n)
    if ($1 ~ /^add/) set(sub_, -n)
    if ($1 ~ /^and/) set(skip, -n - 8)
}
/%rsp *$/ && /^[ \t]*lea[a-z]*[ \t]+-[0-9]+\(%rsp\)/ { set(sub_, -($2 + 0)) }
/^[ \t]*sub[a-z]*[ \t]+%r[a-z0-9]+, *%rsp/ { dynamic = 1 }
!/^[ \t]*lea/ && match($0, /-[0-9]+\(%rsp/) { set(below, substr($0, RSTART + 1) + 0) }
$1 ~ /^(call|jmp)/ && $2 ~ /^[A-Za-z_]/ { calls[name] = calls[name] " " ($1 ~ /^jmp/ ? "-" : "+") $2 }
END { print dynamic ? "dynamic" : "m_run" in own ? depth("m_run") : "no m_run" }

function set(of, n) { if (n > of[name]) of[name] = n }

function depth(f,    n, i, part, d, most, to)
{
    if (f in known) return known[f]
    known[f] = 1e9          # a call of itself
    most = below[f] + 0
    n = split(calls[f], part, " ")
    for (i = 1; i <= n; i++) {
        to = substr(part[i], 2)
        sub(/@.*/, "", to)
        if (!(to in own)) continue
        d = depth(to)
        if (part[i] ~ /^-/) d -= own[f] + sub_[f] + skip[f]
        if (d > most) most = d
    }
    return known[f] = own[f] + sub_[f] + skip[f] + most
}
