/* Private to ir/loop: reading the texts of scalar.def and cast.def, which are C with placeholders. */
#ifndef BURIN_SCALAR_TOKEN_H
#define BURIN_SCALAR_TOKEN_H

#include "base.h"

typedef struct Token { const char *at; int n; bool word; } Token;    /* word: an identifier, perhaps a placeholder */
/* The next identifier or single character; numbers and members (after a full stop) are no words. */
Token token_next(const char **p, const char *begin);
bool token_is(Token t, const char *word);
Token token_name(const char **p);                /* the name in parentheses at *p, which moves behind them */
bool is_digit(char ch);
int digits_at(const char *p);                    /* the decimal number there */
const char *behind_number(const char *p);        /* the end of the number of C that begins there */

#endif
