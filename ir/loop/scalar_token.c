/* The words, numbers and characters of the texts of scalar.def and cast.def. */
#include "scalar_token.h"

bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

static bool is_word(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || is_digit(ch) || ch == '_';
}

Token token_next(const char **p, const char *begin)
{
    const char *s = *p;
    Token t = { s, 1, false };
    if (is_word(*s)) {
        while (is_word(s[t.n]))
            t.n++;
        t.word = !is_digit(*s) && (s == begin || s[-1] != '.');
    }
    *p = s + t.n;
    return t;
}

bool token_is(Token t, const char *word)
{
    return t.word && strlen(word) == (size_t)t.n && !memcmp(t.at, word, (size_t)t.n);
}

Token token_name(const char **p)
{
    const char *s = *p + strspn(*p, " ");
    Token t = { s + 1, 0, true };
    while (t.at[t.n] != ')')
        t.n++;
    *p = t.at + t.n + 1;
    return t;
}

int digits_at(const char *p)
{
    int n = 0;
    while (is_digit(*p))
        n = 10 * n + (*p++ - '0');
    return n;
}

const char *behind_number(const char *p)
{
    while (is_word(*p) || *p == '.' || ((*p == '-' || *p == '+') && p[-1] == 'p'))
        p++;
    return p;
}
