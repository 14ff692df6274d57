/* A Bison parser, made by GNU Bison 3.8.2.  */

/* Bison implementation for Yacc-like parsers in C

   Copyright (C) 1984, 1989-1990, 2000-2015, 2018-2021 Free Software Foundation,
   Inc.

   This program is free software: you can redistribute it and/or modify
   it under the terms of the GNU General Public License as published by
   the Free Software Foundation, either version 3 of the License, or
   (at your option) any later version.

   This program is distributed in the hope that it will be useful,
   but WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
   GNU General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program.  If not, see <https://www.gnu.org/licenses/>.  */

/* As a special exception, you may create a larger work that contains
   part or all of the Bison parser skeleton and distribute that work
   under terms of your choice, so long as that work isn't itself a
   parser generator using the skeleton or a modified version thereof
   as a parser skeleton.  Alternatively, if you modify or redistribute
   the parser skeleton itself, you may (at your option) remove this
   special exception, which will cause the skeleton and the resulting
   Bison output files to be licensed under the GNU General Public
   License without this special exception.

   This special exception was added by the Free Software Foundation in
   version 2.2 of Bison.  */

/* C LALR(1) parser skeleton written by Richard Stallman, by
   simplifying the original so-called "semantic" parser.  */

/* DO NOT RELY ON FEATURES THAT ARE NOT DOCUMENTED in the manual,
   especially those whose name start with YY_ or yy_.  They are
   private implementation details that can be changed or removed.  */

/* All symbols defined below should begin with yy or YY, to avoid
   infringing on user name space.  This should be done even for local
   variables, as they might otherwise be expanded by user macros.
   There are some unavoidable exceptions within include files to
   define necessary library symbols; they are noted "INFRINGES ON
   USER NAME SPACE" below.  */

/* Identify Bison output, and Bison version.  */
#define YYBISON 30802

/* Bison version string.  */
#define YYBISON_VERSION "3.8.2"

/* Skeleton name.  */
#define YYSKELETON_NAME "yacc.c"

/* Pure parsers.  */
#define YYPURE 2

/* Push parsers.  */
#define YYPUSH 0

/* Pull parsers.  */
#define YYPULL 1

/* Substitute the type names.  */
#define YYSTYPE         TEXT_STYPE
#define YYLTYPE         TEXT_LTYPE
/* Substitute the variable and function names.  */
#define yyparse         text_parse
#define yylex           text_lex
#define yyerror         text_error
#define yydebug         text_debug
#define yynerrs         text_nerrs


# ifndef YY_CAST
#  ifdef __cplusplus
#   define YY_CAST(Type, Val) static_cast<Type> (Val)
#   define YY_REINTERPRET_CAST(Type, Val) reinterpret_cast<Type> (Val)
#  else
#   define YY_CAST(Type, Val) ((Type) (Val))
#   define YY_REINTERPRET_CAST(Type, Val) ((Type) (Val))
#  endif
# endif
# ifndef YY_NULLPTR
#  if defined __cplusplus
#   if 201103L <= __cplusplus
#    define YY_NULLPTR nullptr
#   else
#    define YY_NULLPTR 0
#   endif
#  else
#   define YY_NULLPTR ((void*)0)
#  endif
# endif


/* Debug traces.  */
#ifndef TEXT_DEBUG
# if defined YYDEBUG
#if YYDEBUG
#   define TEXT_DEBUG 1
#  else
#   define TEXT_DEBUG 0
#  endif
# else /* ! defined YYDEBUG */
#  define TEXT_DEBUG 0
# endif /* ! defined YYDEBUG */
#endif  /* ! defined TEXT_DEBUG */
#if TEXT_DEBUG
extern int text_debug;
#endif
/* "%code requires" blocks.  */
#line 16 "frontend/text.y"

#include "text.h"

#line 120 "y.tab.c"

/* Token kinds.  */
#ifndef TEXT_TOKENTYPE
# define TEXT_TOKENTYPE
  enum text_tokentype
  {
    TEXT_EMPTY = -2,
    END = 0,                       /* "end of file"  */
    TEXT_error = 256,              /* error  */
    TEXT_UNDEF = 257,              /* "invalid token"  */
    ID = 258,                      /* "a name"  */
    TYPE = 259,                    /* "a type"  */
    STRING = 260,                  /* "a quoted string"  */
    INFNAN = 261,                  /* "a number, inf or nan"  */
    SEQ = 262,                     /* "'seq'"  */
    MAP = 263,                     /* "'map'"  */
    OPTIONAL = 264,                /* "'optional'"  */
    SPARSE = 265,                  /* "'sparse_tensor'"  */
    OPAQUE = 266,                  /* "'opaque'"  */
    NUM = 267,                     /* "a number"  */
    ARROW = 268,                   /* "'=>'"  */
    ELLIPSIS = 269,                /* "'...'"  */
    SYNC = 270                     /* "end of line"  */
  };
  typedef enum text_tokentype text_token_kind_t;
#endif
/* Token kinds.  */
#define TEXT_EMPTY -2
#define END 0
#define TEXT_error 256
#define TEXT_UNDEF 257
#define ID 258
#define TYPE 259
#define STRING 260
#define INFNAN 261
#define SEQ 262
#define MAP 263
#define OPTIONAL 264
#define SPARSE 265
#define OPAQUE 266
#define NUM 267
#define ARROW 268
#define ELLIPSIS 269
#define SYNC 270

/* Value type.  */
#if ! defined TEXT_STYPE && ! defined TEXT_STYPE_IS_DECLARED
union TEXT_STYPE
{
#line 34 "frontend/text.y"

    const char *s;
    const Literal *lit;
    Header *header;
    const MType *type;
    const Tensor *tensor;
    MGraph *graph;
    MNode *node;
    Names *names;
    Attrs *attrs;
    Nodes *nodes;
    Item *item;
    Items *items;
    MValueInfo *info;
    Infos *infos;
    Entries *entries;
    Params *params;
    FuncVars *vars;
    int n;

#line 191 "y.tab.c"

};
typedef union TEXT_STYPE TEXT_STYPE;
# define TEXT_STYPE_IS_TRIVIAL 1
# define TEXT_STYPE_IS_DECLARED 1
#endif

/* Location type.  */
typedef Spot TEXT_LTYPE;




int text_parse (void *scanner, Parser *p);

/* "%code provides" blocks.  */
#line 19 "frontend/text.y"

int text_lex(TEXT_STYPE *value, Spot *spot, void *scanner);

#line 212 "y.tab.c"


/* Symbol kind.  */
enum yysymbol_kind_t
{
  YYSYMBOL_YYEMPTY = -2,
  YYSYMBOL_YYEOF = 0,                      /* "end of file"  */
  YYSYMBOL_YYerror = 1,                    /* error  */
  YYSYMBOL_YYUNDEF = 2,                    /* "invalid token"  */
  YYSYMBOL_ID = 3,                         /* "a name"  */
  YYSYMBOL_TYPE = 4,                       /* "a type"  */
  YYSYMBOL_STRING = 5,                     /* "a quoted string"  */
  YYSYMBOL_INFNAN = 6,                     /* "a number, inf or nan"  */
  YYSYMBOL_SEQ = 7,                        /* "'seq'"  */
  YYSYMBOL_MAP = 8,                        /* "'map'"  */
  YYSYMBOL_OPTIONAL = 9,                   /* "'optional'"  */
  YYSYMBOL_SPARSE = 10,                    /* "'sparse_tensor'"  */
  YYSYMBOL_OPAQUE = 11,                    /* "'opaque'"  */
  YYSYMBOL_NUM = 12,                       /* "a number"  */
  YYSYMBOL_ARROW = 13,                     /* "'=>'"  */
  YYSYMBOL_ELLIPSIS = 14,                  /* "'...'"  */
  YYSYMBOL_SYNC = 15,                      /* "end of line"  */
  YYSYMBOL_16_ = 16,                       /* '<'  */
  YYSYMBOL_17_ = 17,                       /* ','  */
  YYSYMBOL_18_ = 18,                       /* ':'  */
  YYSYMBOL_19_ = 19,                       /* '['  */
  YYSYMBOL_20_ = 20,                       /* ']'  */
  YYSYMBOL_21_ = 21,                       /* '>'  */
  YYSYMBOL_22_ = 22,                       /* ')'  */
  YYSYMBOL_23_ = 23,                       /* '('  */
  YYSYMBOL_24_ = 24,                       /* '='  */
  YYSYMBOL_25_ = 25,                       /* '{'  */
  YYSYMBOL_26_ = 26,                       /* '}'  */
  YYSYMBOL_27_ = 27,                       /* '.'  */
  YYSYMBOL_28_ = 28,                       /* '@'  */
  YYSYMBOL_29_ = 29,                       /* '?'  */
  YYSYMBOL_YYACCEPT = 30,                  /* $accept  */
  YYSYMBOL_model = 31,                     /* model  */
  YYSYMBOL_open_header = 32,               /* open_header  */
  YYSYMBOL_main = 33,                      /* main  */
  YYSYMBOL_header = 34,                    /* header  */
  YYSYMBOL_fields = 35,                    /* fields  */
  YYSYMBOL_field = 36,                     /* field  */
  YYSYMBOL_field_number = 37,              /* field_number  */
  YYSYMBOL_entries = 38,                   /* entries  */
  YYSYMBOL_skip = 39,                      /* skip  */
  YYSYMBOL_end_angle = 40,                 /* end_angle  */
  YYSYMBOL_end_paren = 41,                 /* end_paren  */
  YYSYMBOL_graph = 42,                     /* graph  */
  YYSYMBOL_inputs = 43,                    /* inputs  */
  YYSYMBOL_outputs = 44,                   /* outputs  */
  YYSYMBOL_rest = 45,                      /* rest  */
  YYSYMBOL_items = 46,                     /* items  */
  YYSYMBOL_item = 47,                      /* item  */
  YYSYMBOL_48_1 = 48,                      /* $@1  */
  YYSYMBOL_infos = 49,                     /* infos  */
  YYSYMBOL_info = 50,                      /* info  */
  YYSYMBOL_body = 51,                      /* body  */
  YYSYMBOL_functions = 52,                 /* functions  */
  YYSYMBOL_function = 53,                  /* function  */
  YYSYMBOL_params = 54,                    /* params  */
  YYSYMBOL_param_list = 55,                /* param_list  */
  YYSYMBOL_fvars = 56,                     /* fvars  */
  YYSYMBOL_vars = 57,                      /* vars  */
  YYSYMBOL_finfos = 58,                    /* finfos  */
  YYSYMBOL_nodes = 59,                     /* nodes  */
  YYSYMBOL_node = 60,                      /* node  */
  YYSYMBOL_outs = 61,                      /* outs  */
  YYSYMBOL_ids = 62,                       /* ids  */
  YYSYMBOL_63_2 = 63,                      /* $@2  */
  YYSYMBOL_id_or_none = 64,                /* id_or_none  */
  YYSYMBOL_call = 65,                      /* call  */
  YYSYMBOL_66_3 = 66,                      /* @3  */
  YYSYMBOL_callee = 67,                    /* callee  */
  YYSYMBOL_dotted = 68,                    /* dotted  */
  YYSYMBOL_overload = 69,                  /* overload  */
  YYSYMBOL_attrs = 70,                     /* attrs  */
  YYSYMBOL_attrs_open = 71,                /* attrs_open  */
  YYSYMBOL_attr_list = 72,                 /* attr_list  */
  YYSYMBOL_attr = 73,                      /* attr  */
  YYSYMBOL_kind = 74,                      /* kind  */
  YYSYMBOL_values_open = 75,               /* values_open  */
  YYSYMBOL_values = 76,                    /* values  */
  YYSYMBOL_value = 77,                     /* value  */
  YYSYMBOL_78_4 = 78,                      /* $@4  */
  YYSYMBOL_tensor_open = 79,               /* tensor_open  */
  YYSYMBOL_equals = 80,                    /* equals  */
  YYSYMBOL_graph_value = 81,               /* graph_value  */
  YYSYMBOL_data = 82,                      /* data  */
  YYSYMBOL_braces = 83,                    /* braces  */
  YYSYMBOL_84_5 = 84,                      /* @5  */
  YYSYMBOL_type = 85,                      /* type  */
  YYSYMBOL_86_6 = 86,                      /* $@6  */
  YYSYMBOL_deeper = 87,                    /* deeper  */
  YYSYMBOL_dims = 88,                      /* dims  */
  YYSYMBOL_dim = 89,                       /* dim  */
  YYSYMBOL_name = 90,                      /* name  */
  YYSYMBOL_id = 91,                        /* id  */
  YYSYMBOL_plain = 92                      /* plain  */
};
typedef enum yysymbol_kind_t yysymbol_kind_t;



/* Unqualified %code blocks.  */
#line 22 "frontend/text.y"

#define YYMALLOC(n) mem_alloc(p->c, n)
#define YYFREE(at) ((void)(at))
#define YYINITDEPTH 100
#define YYLLOC_DEFAULT(to, rhs, n) ((to) = (n) ? YYRHSLOC(rhs, 1) : YYRHSLOC(rhs, 0))
#define PUSH(list, type, member, x) do { if (!(list)) (list) = NEW(p->c, type); VEC_PUSH(p->c, (list)->member, x); } while (0)
#define VALUE(...) VEC_PUSH(p->c, p->values, ((AttrValue){__VA_ARGS__}))
#define RESUMED (p->recovering = false, yyerrok)

static void yyerror(const Spot *s, void *scanner, Parser *p, const char *message);

#line 330 "y.tab.c"

#ifdef short
# undef short
#endif

/* On compilers that do not define __PTRDIFF_MAX__ etc., make sure
   <limits.h> and (if available) <stdint.h> are included
   so that the code can choose integer types of a good width.  */

#ifndef __PTRDIFF_MAX__
# include <limits.h> /* INFRINGES ON USER NAME SPACE */
# if defined __STDC_VERSION__ && 199901 <= __STDC_VERSION__
#  include <stdint.h> /* INFRINGES ON USER NAME SPACE */
#  define YY_STDINT_H
# endif
#endif

/* Narrow types that promote to a signed type and that can represent a
   signed or unsigned integer of at least N bits.  In tables they can
   save space and decrease cache pressure.  Promoting to a signed type
   helps avoid bugs in integer arithmetic.  */

#ifdef __INT_LEAST8_MAX__
typedef __INT_LEAST8_TYPE__ yytype_int8;
#elif defined YY_STDINT_H
typedef int_least8_t yytype_int8;
#else
typedef signed char yytype_int8;
#endif

#ifdef __INT_LEAST16_MAX__
typedef __INT_LEAST16_TYPE__ yytype_int16;
#elif defined YY_STDINT_H
typedef int_least16_t yytype_int16;
#else
typedef short yytype_int16;
#endif

/* Work around bug in HP-UX 11.23, which defines these macros
   incorrectly for preprocessor constants.  This workaround can likely
   be removed in 2023, as HPE has promised support for HP-UX 11.23
   (aka HP-UX 11i v2) only through the end of 2022; see Table 2 of
   <https://h20195.www2.hpe.com/V2/getpdf.aspx/4AA4-7673ENW.pdf>.  */
#ifdef __hpux
# undef UINT_LEAST8_MAX
# undef UINT_LEAST16_MAX
# define UINT_LEAST8_MAX 255
# define UINT_LEAST16_MAX 65535
#endif

#if defined __UINT_LEAST8_MAX__ && __UINT_LEAST8_MAX__ <= __INT_MAX__
typedef __UINT_LEAST8_TYPE__ yytype_uint8;
#elif (!defined __UINT_LEAST8_MAX__ && defined YY_STDINT_H \
       && UINT_LEAST8_MAX <= INT_MAX)
typedef uint_least8_t yytype_uint8;
#elif !defined __UINT_LEAST8_MAX__ && UCHAR_MAX <= INT_MAX
typedef unsigned char yytype_uint8;
#else
typedef short yytype_uint8;
#endif

#if defined __UINT_LEAST16_MAX__ && __UINT_LEAST16_MAX__ <= __INT_MAX__
typedef __UINT_LEAST16_TYPE__ yytype_uint16;
#elif (!defined __UINT_LEAST16_MAX__ && defined YY_STDINT_H \
       && UINT_LEAST16_MAX <= INT_MAX)
typedef uint_least16_t yytype_uint16;
#elif !defined __UINT_LEAST16_MAX__ && USHRT_MAX <= INT_MAX
typedef unsigned short yytype_uint16;
#else
typedef int yytype_uint16;
#endif

#ifndef YYPTRDIFF_T
# if defined __PTRDIFF_TYPE__ && defined __PTRDIFF_MAX__
#  define YYPTRDIFF_T __PTRDIFF_TYPE__
#  define YYPTRDIFF_MAXIMUM __PTRDIFF_MAX__
# elif defined PTRDIFF_MAX
#  ifndef ptrdiff_t
#   include <stddef.h> /* INFRINGES ON USER NAME SPACE */
#  endif
#  define YYPTRDIFF_T ptrdiff_t
#  define YYPTRDIFF_MAXIMUM PTRDIFF_MAX
# else
#  define YYPTRDIFF_T long
#  define YYPTRDIFF_MAXIMUM LONG_MAX
# endif
#endif

#ifndef YYSIZE_T
# ifdef __SIZE_TYPE__
#  define YYSIZE_T __SIZE_TYPE__
# elif defined size_t
#  define YYSIZE_T size_t
# elif defined __STDC_VERSION__ && 199901 <= __STDC_VERSION__
#  include <stddef.h> /* INFRINGES ON USER NAME SPACE */
#  define YYSIZE_T size_t
# else
#  define YYSIZE_T unsigned
# endif
#endif

#define YYSIZE_MAXIMUM                                  \
  YY_CAST (YYPTRDIFF_T,                                 \
           (YYPTRDIFF_MAXIMUM < YY_CAST (YYSIZE_T, -1)  \
            ? YYPTRDIFF_MAXIMUM                         \
            : YY_CAST (YYSIZE_T, -1)))

#define YYSIZEOF(X) YY_CAST (YYPTRDIFF_T, sizeof (X))


/* Stored state numbers (used for stacks). */
typedef yytype_int16 yy_state_t;

/* State numbers in computations.  */
typedef int yy_state_fast_t;

#ifndef YY_
# if defined YYENABLE_NLS && YYENABLE_NLS
#  if ENABLE_NLS
#   include <libintl.h> /* INFRINGES ON USER NAME SPACE */
#   define YY_(Msgid) dgettext ("bison-runtime", Msgid)
#  endif
# endif
# ifndef YY_
#  define YY_(Msgid) Msgid
# endif
#endif


#ifndef YY_ATTRIBUTE_PURE
# if defined __GNUC__ && 2 < __GNUC__ + (96 <= __GNUC_MINOR__)
#  define YY_ATTRIBUTE_PURE __attribute__ ((__pure__))
# else
#  define YY_ATTRIBUTE_PURE
# endif
#endif

#ifndef YY_ATTRIBUTE_UNUSED
# if defined __GNUC__ && 2 < __GNUC__ + (7 <= __GNUC_MINOR__)
#  define YY_ATTRIBUTE_UNUSED __attribute__ ((__unused__))
# else
#  define YY_ATTRIBUTE_UNUSED
# endif
#endif

/* Suppress unused-variable warnings by "using" E.  */
#if ! defined lint || defined __GNUC__
# define YY_USE(E) ((void) (E))
#else
# define YY_USE(E) /* empty */
#endif

/* Suppress an incorrect diagnostic about yylval being uninitialized.  */
#if defined __GNUC__ && ! defined __ICC && 406 <= __GNUC__ * 100 + __GNUC_MINOR__
# if __GNUC__ * 100 + __GNUC_MINOR__ < 407
#  define YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN                           \
    _Pragma ("GCC diagnostic push")                                     \
    _Pragma ("GCC diagnostic ignored \"-Wuninitialized\"")
# else
#  define YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN                           \
    _Pragma ("GCC diagnostic push")                                     \
    _Pragma ("GCC diagnostic ignored \"-Wuninitialized\"")              \
    _Pragma ("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
# endif
# define YY_IGNORE_MAYBE_UNINITIALIZED_END      \
    _Pragma ("GCC diagnostic pop")
#else
# define YY_INITIAL_VALUE(Value) Value
#endif
#ifndef YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
# define YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
# define YY_IGNORE_MAYBE_UNINITIALIZED_END
#endif
#ifndef YY_INITIAL_VALUE
# define YY_INITIAL_VALUE(Value) /* Nothing. */
#endif

#if defined __cplusplus && defined __GNUC__ && ! defined __ICC && 6 <= __GNUC__
# define YY_IGNORE_USELESS_CAST_BEGIN                          \
    _Pragma ("GCC diagnostic push")                            \
    _Pragma ("GCC diagnostic ignored \"-Wuseless-cast\"")
# define YY_IGNORE_USELESS_CAST_END            \
    _Pragma ("GCC diagnostic pop")
#endif
#ifndef YY_IGNORE_USELESS_CAST_BEGIN
# define YY_IGNORE_USELESS_CAST_BEGIN
# define YY_IGNORE_USELESS_CAST_END
#endif


#define YY_ASSERT(E) ((void) (0 && (E)))

#if 1

/* The parser invokes alloca or malloc; define the necessary symbols.  */

# ifdef YYSTACK_USE_ALLOCA
#  if YYSTACK_USE_ALLOCA
#   ifdef __GNUC__
#    define YYSTACK_ALLOC __builtin_alloca
#   elif defined __BUILTIN_VA_ARG_INCR
#    include <alloca.h> /* INFRINGES ON USER NAME SPACE */
#   elif defined _AIX
#    define YYSTACK_ALLOC __alloca
#   elif defined _MSC_VER
#    include <malloc.h> /* INFRINGES ON USER NAME SPACE */
#    define alloca _alloca
#   else
#    define YYSTACK_ALLOC alloca
#    if ! defined _ALLOCA_H && ! defined EXIT_SUCCESS
#     include <stdlib.h> /* INFRINGES ON USER NAME SPACE */
      /* Use EXIT_SUCCESS as a witness for stdlib.h.  */
#     ifndef EXIT_SUCCESS
#      define EXIT_SUCCESS 0
#     endif
#    endif
#   endif
#  endif
# endif

# ifdef YYSTACK_ALLOC
   /* Pacify GCC's 'empty if-body' warning.  */
#  define YYSTACK_FREE(Ptr) do { /* empty */; } while (0)
#  ifndef YYSTACK_ALLOC_MAXIMUM
    /* The OS might guarantee only one guard page at the bottom of the stack,
       and a page size can be as small as 4096 bytes.  So we cannot safely
       invoke alloca (N) if N exceeds 4096.  Use a slightly smaller number
       to allow for a few compiler-allocated temporary stack slots.  */
#   define YYSTACK_ALLOC_MAXIMUM 4032 /* reasonable circa 2006 */
#  endif
# else
#  define YYSTACK_ALLOC YYMALLOC
#  define YYSTACK_FREE YYFREE
#  ifndef YYSTACK_ALLOC_MAXIMUM
#   define YYSTACK_ALLOC_MAXIMUM YYSIZE_MAXIMUM
#  endif
#  if (defined __cplusplus && ! defined EXIT_SUCCESS \
       && ! ((defined YYMALLOC || defined malloc) \
             && (defined YYFREE || defined free)))
#   include <stdlib.h> /* INFRINGES ON USER NAME SPACE */
#   ifndef EXIT_SUCCESS
#    define EXIT_SUCCESS 0
#   endif
#  endif
#  ifndef YYMALLOC
#   define YYMALLOC malloc
#   if ! defined malloc && ! defined EXIT_SUCCESS
void *malloc (YYSIZE_T); /* INFRINGES ON USER NAME SPACE */
#   endif
#  endif
#  ifndef YYFREE
#   define YYFREE free
#   if ! defined free && ! defined EXIT_SUCCESS
void free (void *); /* INFRINGES ON USER NAME SPACE */
#   endif
#  endif
# endif
#endif /* 1 */

#if (! defined yyoverflow \
     && (! defined __cplusplus \
         || (defined TEXT_LTYPE_IS_TRIVIAL && TEXT_LTYPE_IS_TRIVIAL \
             && defined TEXT_STYPE_IS_TRIVIAL && TEXT_STYPE_IS_TRIVIAL)))

/* A type that is properly aligned for any stack member.  */
union yyalloc
{
  yy_state_t yyss_alloc;
  YYSTYPE yyvs_alloc;
  YYLTYPE yyls_alloc;
};

/* The size of the maximum gap between one aligned stack and the next.  */
# define YYSTACK_GAP_MAXIMUM (YYSIZEOF (union yyalloc) - 1)

/* The size of an array large to enough to hold all stacks, each with
   N elements.  */
# define YYSTACK_BYTES(N) \
     ((N) * (YYSIZEOF (yy_state_t) + YYSIZEOF (YYSTYPE) \
             + YYSIZEOF (YYLTYPE)) \
      + 2 * YYSTACK_GAP_MAXIMUM)

# define YYCOPY_NEEDED 1

/* Relocate STACK from its old location to the new one.  The
   local variables YYSIZE and YYSTACKSIZE give the old and new number of
   elements in the stack, and YYPTR gives the new location of the
   stack.  Advance YYPTR to a properly aligned location for the next
   stack.  */
# define YYSTACK_RELOCATE(Stack_alloc, Stack)                           \
    do                                                                  \
      {                                                                 \
        YYPTRDIFF_T yynewbytes;                                         \
        YYCOPY (&yyptr->Stack_alloc, Stack, yysize);                    \
        Stack = &yyptr->Stack_alloc;                                    \
        yynewbytes = yystacksize * YYSIZEOF (*Stack) + YYSTACK_GAP_MAXIMUM; \
        yyptr += yynewbytes / YYSIZEOF (*yyptr);                        \
      }                                                                 \
    while (0)

#endif

#if defined YYCOPY_NEEDED && YYCOPY_NEEDED
/* Copy COUNT objects from SRC to DST.  The source and destination do
   not overlap.  */
# ifndef YYCOPY
#  if defined __GNUC__ && 1 < __GNUC__
#   define YYCOPY(Dst, Src, Count) \
      __builtin_memcpy (Dst, Src, YY_CAST (YYSIZE_T, (Count)) * sizeof (*(Src)))
#  else
#   define YYCOPY(Dst, Src, Count)              \
      do                                        \
        {                                       \
          YYPTRDIFF_T yyi;                      \
          for (yyi = 0; yyi < (Count); yyi++)   \
            (Dst)[yyi] = (Src)[yyi];            \
        }                                       \
      while (0)
#  endif
# endif
#endif /* !YYCOPY_NEEDED */

/* YYFINAL -- State number of the termination state.  */
#define YYFINAL  3
/* YYLAST -- Last index in YYTABLE.  */
#define YYLAST   483

/* YYNTOKENS -- Number of terminals.  */
#define YYNTOKENS  30
/* YYNNTS -- Number of nonterminals.  */
#define YYNNTS  63
/* YYNRULES -- Number of rules.  */
#define YYNRULES  150
/* YYNSTATES -- Number of states.  */
#define YYNSTATES  266

/* YYMAXUTOK -- Last valid token kind.  */
#define YYMAXUTOK   270


/* YYTRANSLATE(TOKEN-NUM) -- Symbol number corresponding to TOKEN-NUM
   as returned by yylex, with out-of-bounds checking.  */
#define YYTRANSLATE(YYX)                                \
  (0 <= (YYX) && (YYX) <= YYMAXUTOK                     \
   ? YY_CAST (yysymbol_kind_t, yytranslate[YYX])        \
   : YYSYMBOL_YYUNDEF)

/* YYTRANSLATE[TOKEN-NUM] -- Symbol number corresponding to TOKEN-NUM
   as returned by yylex.  */
static const yytype_int8 yytranslate[] =
{
       0,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
      23,    22,     2,     2,    17,     2,    27,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,    18,     2,
      16,    24,    21,    29,    28,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,    19,     2,    20,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,    25,     2,    26,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     2,     2,     2,     2,
       2,     2,     2,     2,     2,     2,     1,     2,     3,     4,
       5,     6,     7,     8,     9,    10,    11,    12,    13,    14,
      15
};

#if TEXT_DEBUG
/* YYRLINE[YYN] -- Source line where rule number YYN was defined.  */
static const yytype_int16 yyrline[] =
{
       0,    81,    81,    83,    85,    86,    91,    92,    94,    95,
      96,    97,    99,   100,   101,   102,   104,   106,   107,   108,
     109,   111,   113,   113,   115,   115,   120,   122,   123,   124,
     126,   127,   129,   130,   131,   133,   134,   135,   136,   138,
     139,   139,   142,   143,   144,   145,   147,   148,   150,   151,
     154,   155,   157,   159,   161,   162,   164,   165,   166,   167,
     169,   170,   172,   173,   175,   176,   177,   182,   183,   184,
     186,   187,   188,   190,   192,   192,   193,   195,   196,   198,
     198,   201,   203,   204,   206,   207,   212,   213,   214,   216,
     218,   219,   221,   222,   223,   225,   226,   228,   230,   231,
     233,   234,   235,   236,   237,   238,   239,   240,   241,   241,
     244,   246,   246,   248,   249,   252,   253,   254,   256,   256,
     258,   263,   264,   265,   265,   266,   267,   268,   269,   270,
     271,   272,   274,   276,   277,   279,   280,   281,   283,   284,
     286,   286,   286,   286,   286,   286,   286,   286,   288,   289,
     290
};
#endif

/** Accessing symbol of state STATE.  */
#define YY_ACCESSING_SYMBOL(State) YY_CAST (yysymbol_kind_t, yystos[State])

#if 1
/* The user-facing name of the symbol whose (internal) number is
   YYSYMBOL.  No bounds checking.  */
static const char *yysymbol_name (yysymbol_kind_t yysymbol) YY_ATTRIBUTE_UNUSED;

static const char *
yysymbol_name (yysymbol_kind_t yysymbol)
{
  static const char *const yy_sname[] =
  {
  "end of file", "error", "invalid token", "a name", "a type",
  "a quoted string", "a number, inf or nan", "'seq'", "'map'",
  "'optional'", "'sparse_tensor'", "'opaque'", "a number", "'=>'", "'...'",
  "end of line", "'<'", "','", "':'", "'['", "']'", "'>'", "')'", "'('",
  "'='", "'{'", "'}'", "'.'", "'@'", "'?'", "$accept", "model",
  "open_header", "main", "header", "fields", "field", "field_number",
  "entries", "skip", "end_angle", "end_paren", "graph", "inputs",
  "outputs", "rest", "items", "item", "$@1", "infos", "info", "body",
  "functions", "function", "params", "param_list", "fvars", "vars",
  "finfos", "nodes", "node", "outs", "ids", "$@2", "id_or_none", "call",
  "@3", "callee", "dotted", "overload", "attrs", "attrs_open", "attr_list",
  "attr", "kind", "values_open", "values", "value", "$@4", "tensor_open",
  "equals", "graph_value", "data", "braces", "@5", "type", "$@6", "deeper",
  "dims", "dim", "name", "id", "plain", YY_NULLPTR
  };
  return yy_sname[yysymbol];
}
#endif

#define YYPACT_NINF (-200)

#define yypact_value_is_default(Yyn) \
  ((Yyn) == YYPACT_NINF)

#define YYTABLE_NINF (-111)

#define yytable_value_is_error(Yyn) \
  0

/* YYPACT[STATE-NUM] -- Index in YYTABLE of the portion describing
   STATE-NUM.  */
static const yytype_int16 yypact[] =
{
    -200,    21,    87,  -200,   118,   463,   114,  -200,  -200,  -200,
    -200,  -200,  -200,  -200,  -200,    49,  -200,   144,   128,   116,
    -200,  -200,  -200,   134,  -200,  -200,    40,   144,  -200,   144,
    -200,  -200,    12,  -200,  -200,   449,    32,   154,  -200,  -200,
    -200,  -200,  -200,    10,  -200,   233,   116,    87,  -200,  -200,
     151,  -200,  -200,   153,   155,   156,   168,   169,  -200,   353,
      51,  -200,   147,   472,  -200,   171,   157,  -200,     5,    78,
     431,  -200,  -200,   472,     3,   472,  -200,   472,   175,  -200,
     170,  -200,  -200,   392,  -200,   113,   353,  -200,   353,  -200,
    -200,  -200,   344,   161,    50,   167,  -200,  -200,  -200,  -200,
     176,  -200,   182,    80,  -200,   472,  -200,  -200,  -200,   183,
    -200,   178,   152,   184,   152,   152,  -200,    83,  -200,  -200,
    -200,     4,  -200,   353,    64,  -200,   364,   116,  -200,  -200,
     185,   472,  -200,  -200,   177,   472,   472,  -200,  -200,   472,
     179,  -200,  -200,    98,  -200,  -200,   186,  -200,   187,   188,
     144,  -200,  -200,   199,  -200,  -200,  -200,  -200,   353,   353,
    -200,  -200,    68,  -200,   101,  -200,   472,   412,  -200,  -200,
    -200,    95,  -200,    93,   402,   192,   178,  -200,  -200,   152,
    -200,  -200,   189,   148,   193,  -200,  -200,  -200,  -200,  -200,
    -200,  -200,   123,  -200,   194,   117,   472,  -200,   144,   190,
    -200,  -200,   121,   179,  -200,   191,  -200,  -200,  -200,   472,
    -200,  -200,  -200,    93,  -200,  -200,   353,  -200,   202,  -200,
    -200,   182,   257,  -200,   383,   116,  -200,   134,    71,  -200,
    -200,   283,   472,  -200,  -200,   319,  -200,    75,  -200,   208,
     209,  -200,   149,  -200,  -200,    39,  -200,  -200,   171,   171,
     309,  -200,     4,  -200,   200,   161,   161,  -200,  -200,  -200,
       4,   116,   116,  -200,  -200,  -200
};

/* YYDEFACT[STATE-NUM] -- Default reduction number in state STATE-NUM.
   Performed when YYTABLE does not specify something else to do.  Zero
   means the default is an error.  */
static const yytype_uint8 yydefact[] =
{
       3,     0,     6,     1,     0,     0,     0,   140,   141,   142,
     143,   144,   145,   146,   147,     0,     8,     0,     0,     0,
     139,    50,     4,    27,   138,    21,     0,     0,    22,     0,
       7,     9,     0,    67,     5,     0,     0,     0,    23,    10,
      11,    13,    16,     0,    12,     0,     0,     6,    51,   148,
     121,   150,   149,     0,     0,     0,     0,     0,    28,     0,
       0,    35,    39,     0,    46,     0,     0,    14,     0,     0,
       0,    48,    68,     0,     0,    77,    53,     0,   123,   132,
       0,   132,   132,     0,    36,     0,     0,    24,     0,    29,
      40,    47,     0,    32,     0,     0,    15,    69,    49,    74,
       0,    70,    86,    84,    82,    77,    73,    75,    78,    54,
     122,     0,     0,     0,     0,     0,   129,     0,    25,    37,
      38,   115,    30,     0,     0,    42,     0,     0,    18,    17,
       0,     0,    74,    89,     0,     0,     0,    81,    76,     0,
       0,   137,   135,     0,   133,   136,     0,   132,     0,     0,
       0,   130,   120,     0,   118,    41,   116,    43,     0,     0,
      31,    33,     0,    26,     0,    71,     0,     0,    74,    85,
      83,     0,    57,    56,     0,     0,     0,   124,   125,     0,
     126,   127,     0,     0,     0,    44,    45,    34,    20,    19,
      72,    87,     0,    90,    95,     0,     0,    55,     0,     0,
      60,    62,     0,     0,   134,     0,   131,   117,   119,     0,
      88,    79,    59,    58,    96,    97,     0,    61,    64,   128,
      91,    86,     0,    63,     0,     0,    80,    27,   102,   101,
     100,     0,     0,    92,   104,   105,    65,     0,    52,     0,
       0,    93,     0,    98,   103,     0,   108,    66,     0,     0,
       0,    94,   115,   106,   111,    32,    32,    99,   107,   112,
     115,     0,     0,   109,   113,   114
};

/* YYPGOTO[NTERM-NUM].  */
static const yytype_int16 yypgoto[] =
{
    -200,  -200,   180,  -200,   181,  -200,    70,  -200,    72,    -4,
    -154,    99,  -200,  -169,  -171,  -165,   100,   -40,  -200,     6,
     -79,   -45,  -200,  -200,  -200,  -200,    24,  -200,  -200,  -200,
    -200,   -87,    63,  -200,   130,  -117,  -200,  -200,   162,  -200,
      25,  -200,  -200,  -162,  -200,  -200,  -200,  -199,  -200,  -200,
    -200,  -200,  -151,     2,  -200,  -108,  -200,   -72,  -200,    73,
      -3,    -1,  -200
};

/* YYDEFGOTO[NTERM-NUM].  */
static const yytype_int16 yydefgoto[] =
{
       0,     1,     2,    21,     5,    15,    16,    44,    68,    59,
      30,    89,    22,    37,    93,   127,    60,    61,   121,   124,
      62,    34,    35,    48,   140,   171,   175,   202,   225,    45,
      72,    73,    74,    75,   107,   101,   221,   102,   103,   137,
     134,   167,   192,   172,   199,   222,   242,   233,   254,   245,
     260,   234,   155,   156,   184,    63,   111,   112,   143,   144,
     104,    24,    64
};

/* YYTABLE[YYPACT[STATE-NUM]] -- What to do in state STATE-NUM.  If
   positive, shift that token.  If negative, reduce the rule whose
   number is the opposite.  If YYTABLE_NINF, syntax error.  */
static const yytype_int16 yytable[] =
{
      17,    76,    23,    18,   146,   193,   148,   149,   187,   114,
     115,    29,   131,   125,   165,    66,    18,    41,   152,    84,
     105,     3,    95,   153,    42,    96,    18,   106,    18,   154,
      67,    43,   243,     6,   212,    49,    50,    51,    52,    53,
      54,    55,    56,    57,   157,   166,   119,   220,   120,   190,
      26,   257,    85,   152,    58,   128,    88,    25,   239,   240,
      91,    38,   129,   252,   154,    85,    27,   100,    86,    26,
      28,   205,   108,    87,   109,   179,    26,   255,   256,   185,
     186,   158,   163,   247,   -27,    86,    87,    31,   123,    28,
     261,   262,   158,    97,    36,   201,    28,    39,   135,    40,
     150,   258,   108,     4,    98,   151,   188,   136,   145,   263,
     136,   198,   196,   189,   235,   176,   197,   -95,   177,     6,
     159,     7,     8,   235,     9,    10,    11,    12,    13,    14,
      25,    25,   169,   170,   105,   118,   173,   223,   216,   211,
     209,    33,   235,   217,   210,   125,    32,     7,     8,   182,
       9,    10,    11,    12,    13,    14,    50,    36,    88,    53,
      54,    55,    56,    57,   194,    95,   250,    65,   207,   251,
      78,    90,   130,   145,   113,    94,    79,   126,    80,    81,
     238,     7,     8,    20,     9,    10,    11,    12,    13,    14,
     141,    82,    83,   213,    92,   110,   132,   214,   133,   139,
     168,   147,   174,   164,    66,   203,   194,   142,   178,   180,
     181,   206,   198,   219,   215,    47,   264,   265,   224,   208,
     123,   248,   249,   160,   259,   183,   162,   218,    77,   244,
     237,   195,   246,   159,    69,   138,   -74,   -74,   -74,   -74,
     -74,   -74,   -74,   -74,   -74,   117,   226,   253,     0,   204,
     -74,     0,    70,     0,     0,     0,     0,   -74,     0,    71,
     227,    50,   228,   229,    53,    54,    55,    56,    57,   230,
       0,     0,     0,     0,     0,     0,   231,     0,     0,     0,
       0,     0,     0,     0,     0,   232,   227,    50,   228,   229,
      53,    54,    55,    56,    57,   230,     0,     0,     0,     0,
       0,     0,     0,   241,     0,     0,     0,     0,     0,     0,
       0,   232,   227,    50,   228,   229,    53,    54,    55,    56,
      57,   230,     7,     8,    20,     9,    10,    11,    12,    13,
      14,     0,     0,  -110,     0,     0,     0,   232,     0,     0,
       0,     0,     0,  -110,  -110,     6,     0,    49,    50,    51,
      52,    53,    54,    55,    56,    57,    49,    50,    51,    52,
      53,    54,    55,    56,    57,     6,   122,    49,    50,    51,
      52,    53,    54,    55,    56,    57,     0,     0,     0,     0,
       0,     0,     0,     0,     6,   161,    49,    50,    51,    52,
      53,    54,    55,    56,    57,     7,     8,    20,     9,    10,
      11,    12,    13,    14,   236,    49,    50,    51,    52,    53,
      54,    55,    56,    57,   116,     7,     8,    20,     9,    10,
      11,    12,    13,    14,   200,     0,     0,     0,     0,     0,
       0,     0,     0,   191,     7,     8,    20,     9,    10,    11,
      12,    13,    14,     0,     0,     0,     0,     0,     0,    -2,
      46,    99,    -3,    -3,    -3,    -3,    -3,    -3,    -3,    -3,
      -3,     0,     0,     0,    19,    -3,     7,     8,    20,     9,
      10,    11,    12,    13,    14,     7,     8,    20,     9,    10,
      11,    12,    13,    14
};

static const yytype_int16 yycheck[] =
{
       4,    46,     5,     4,   112,   167,   114,   115,   162,    81,
      82,    15,    99,    92,   131,     5,    17,     5,    14,    59,
      17,     0,    17,    19,    12,    20,    27,    24,    29,    25,
      20,    19,   231,     1,   196,     3,     4,     5,     6,     7,
       8,     9,    10,    11,   123,   132,    86,   209,    88,   166,
       1,   250,     1,    14,    22,     5,    60,    17,   227,   228,
      63,    21,    12,    24,    25,     1,    17,    70,    17,     1,
      21,   179,    75,    22,    77,   147,     1,   248,   249,   158,
     159,    17,   127,   237,    13,    17,    22,    17,    92,    21,
     255,   256,    17,    15,    23,   174,    21,    27,    18,    29,
      17,   252,   105,    16,    26,    22,     5,    27,   111,   260,
      27,    18,    17,    12,   222,    17,    21,    24,    20,     1,
     124,     3,     4,   231,     6,     7,     8,     9,    10,    11,
      17,    17,   135,   136,    17,    22,   139,   216,    17,    22,
      17,    25,   250,    22,    21,   224,    18,     3,     4,   150,
       6,     7,     8,     9,    10,    11,     4,    23,   162,     7,
       8,     9,    10,    11,   167,    17,    17,    13,    20,    20,
      19,    24,     5,   176,     4,    18,    23,    16,    23,    23,
     225,     3,     4,     5,     6,     7,     8,     9,    10,    11,
      12,    23,    23,   196,    23,    20,    20,   198,    16,    16,
      23,    17,    23,    18,     5,    13,   209,    29,    22,    22,
      22,    22,    18,    22,    24,    35,   261,   262,    16,    26,
     224,    13,    13,   124,    24,   153,   126,   203,    47,   232,
     224,   168,   235,   237,     1,   105,     3,     4,     5,     6,
       7,     8,     9,    10,    11,    83,   221,   245,    -1,   176,
      17,    -1,    19,    -1,    -1,    -1,    -1,    24,    -1,    26,
       3,     4,     5,     6,     7,     8,     9,    10,    11,    12,
      -1,    -1,    -1,    -1,    -1,    -1,    19,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,    -1,    28,     3,     4,     5,     6,
       7,     8,     9,    10,    11,    12,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    20,    -1,    -1,    -1,    -1,    -1,    -1,
      -1,    28,     3,     4,     5,     6,     7,     8,     9,    10,
      11,    12,     3,     4,     5,     6,     7,     8,     9,    10,
      11,    -1,    -1,    14,    -1,    -1,    -1,    28,    -1,    -1,
      -1,    -1,    -1,    24,    25,     1,    -1,     3,     4,     5,
       6,     7,     8,     9,    10,    11,     3,     4,     5,     6,
       7,     8,     9,    10,    11,     1,    22,     3,     4,     5,
       6,     7,     8,     9,    10,    11,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    -1,     1,    21,     3,     4,     5,     6,
       7,     8,     9,    10,    11,     3,     4,     5,     6,     7,
       8,     9,    10,    11,    21,     3,     4,     5,     6,     7,
       8,     9,    10,    11,    22,     3,     4,     5,     6,     7,
       8,     9,    10,    11,    22,    -1,    -1,    -1,    -1,    -1,
      -1,    -1,    -1,    21,     3,     4,     5,     6,     7,     8,
       9,    10,    11,    -1,    -1,    -1,    -1,    -1,    -1,     0,
       1,    20,     3,     4,     5,     6,     7,     8,     9,    10,
      11,    -1,    -1,    -1,     1,    16,     3,     4,     5,     6,
       7,     8,     9,    10,    11,     3,     4,     5,     6,     7,
       8,     9,    10,    11
};

/* YYSTOS[STATE-NUM] -- The symbol kind of the accessing symbol of
   state STATE-NUM.  */
static const yytype_int8 yystos[] =
{
       0,    31,    32,     0,    16,    34,     1,     3,     4,     6,
       7,     8,     9,    10,    11,    35,    36,    39,    91,     1,
       5,    33,    42,    90,    91,    17,     1,    17,    21,    39,
      40,    36,    18,    25,    51,    52,    23,    43,    21,    36,
      36,     5,    12,    19,    37,    59,     1,    32,    53,     3,
       4,     5,     6,     7,     8,     9,    10,    11,    22,    39,
      46,    47,    50,    85,    92,    13,     5,    20,    38,     1,
      19,    26,    60,    61,    62,    63,    51,    34,    19,    23,
      23,    23,    23,    23,    47,     1,    17,    22,    39,    41,
      24,    90,    23,    44,    18,    17,    20,    15,    26,    20,
      90,    65,    67,    68,    90,    17,    24,    64,    90,    90,
      20,    86,    87,     4,    87,    87,    22,    68,    22,    47,
      47,    48,    22,    39,    49,    50,    16,    45,     5,    12,
       5,    61,    20,    16,    70,    18,    27,    69,    64,    16,
      54,    12,    29,    88,    89,    90,    85,    17,    85,    85,
      17,    22,    14,    19,    25,    82,    83,    50,    17,    39,
      41,    21,    46,    51,    18,    65,    61,    71,    23,    90,
      90,    55,    73,    90,    23,    56,    17,    20,    22,    87,
      22,    22,    91,    38,    84,    50,    50,    40,     5,    12,
      65,    21,    72,    73,    90,    62,    17,    21,    18,    74,
      22,    50,    57,    13,    89,    85,    22,    20,    26,    17,
      21,    22,    73,    90,    91,    24,    17,    22,    56,    22,
      73,    66,    75,    50,    16,    58,    70,     3,     5,     6,
      12,    19,    28,    77,    81,    85,    21,    49,    51,    43,
      43,    20,    76,    77,    90,    79,    90,    40,    13,    13,
      17,    20,    24,    83,    78,    44,    44,    77,    82,    24,
      80,    45,    45,    82,    51,    51
};

/* YYR1[RULE-NUM] -- Symbol kind of the left-hand side of rule RULE-NUM.  */
static const yytype_int8 yyr1[] =
{
       0,    30,    31,    32,    33,    33,    34,    34,    35,    35,
      35,    35,    36,    36,    36,    36,    37,    38,    38,    38,
      38,    39,    40,    40,    41,    41,    42,    43,    43,    43,
      44,    44,    45,    45,    45,    46,    46,    46,    46,    47,
      48,    47,    49,    49,    49,    49,    50,    50,    51,    51,
      52,    52,    53,    53,    54,    54,    55,    55,    55,    55,
      56,    56,    57,    57,    58,    58,    58,    59,    59,    59,
      60,    60,    60,    61,    63,    62,    62,    64,    64,    66,
      65,    67,    68,    68,    69,    69,    70,    70,    70,    71,
      72,    72,    73,    73,    73,    74,    74,    75,    76,    76,
      77,    77,    77,    77,    77,    77,    77,    77,    78,    77,
      79,    80,    80,    81,    81,    82,    82,    82,    84,    83,
      83,    85,    85,    86,    85,    85,    85,    85,    85,    85,
      85,    85,    87,    88,    88,    89,    89,    89,    90,    90,
      91,    91,    91,    91,    91,    91,    91,    91,    92,    92,
      92
};

/* YYR2[RULE-NUM] -- Number of symbols on the right-hand side of rule RULE-NUM.  */
static const yytype_int8 yyr2[] =
{
       0,     2,     4,     0,     1,     2,     0,     3,     1,     2,
       3,     3,     3,     3,     4,     5,     1,     3,     3,     5,
       5,     2,     1,     2,     1,     2,     6,     0,     2,     3,
       2,     3,     0,     2,     3,     1,     2,     3,     3,     1,
       0,     4,     1,     2,     3,     3,     1,     2,     3,     4,
       0,     2,     9,     2,     0,     3,     1,     1,     3,     3,
       2,     3,     1,     3,     0,     2,     3,     0,     2,     3,
       2,     4,     5,     2,     0,     2,     3,     0,     1,     0,
       7,     2,     1,     3,     0,     2,     0,     3,     4,     0,
       1,     3,     5,     6,     7,     0,     2,     0,     1,     3,
       1,     1,     1,     2,     1,     1,     3,     4,     0,     5,
       0,     0,     1,     6,     6,     0,     1,     3,     0,     3,
       1,     1,     3,     0,     5,     5,     5,     5,     7,     3,
       4,     6,     0,     1,     3,     1,     1,     1,     1,     1,
       1,     1,     1,     1,     1,     1,     1,     1,     1,     1,
       1
};


enum { YYENOMEM = -2 };

#define yyerrok         (yyerrstatus = 0)
#define yyclearin       (yychar = TEXT_EMPTY)

#define YYACCEPT        goto yyacceptlab
#define YYABORT         goto yyabortlab
#define YYERROR         goto yyerrorlab
#define YYNOMEM         goto yyexhaustedlab


#define YYRECOVERING()  (!!yyerrstatus)

#define YYBACKUP(Token, Value)                                    \
  do                                                              \
    if (yychar == TEXT_EMPTY)                                        \
      {                                                           \
        yychar = (Token);                                         \
        yylval = (Value);                                         \
        YYPOPSTACK (yylen);                                       \
        yystate = *yyssp;                                         \
        goto yybackup;                                            \
      }                                                           \
    else                                                          \
      {                                                           \
        yyerror (&yylloc, scanner, p, YY_("syntax error: cannot back up")); \
        YYERROR;                                                  \
      }                                                           \
  while (0)

/* Backward compatibility with an undocumented macro.
   Use TEXT_error or TEXT_UNDEF. */
#define YYERRCODE TEXT_UNDEF

/* YYLLOC_DEFAULT -- Set CURRENT to span from RHS[1] to RHS[N].
   If N is 0, then set CURRENT to the empty location which ends
   the previous symbol: RHS[0] (always defined).  */

#ifndef YYLLOC_DEFAULT
# define YYLLOC_DEFAULT(Current, Rhs, N)                                \
    do                                                                  \
      if (N)                                                            \
        {                                                               \
          (Current).first_line   = YYRHSLOC (Rhs, 1).first_line;        \
          (Current).first_column = YYRHSLOC (Rhs, 1).first_column;      \
          (Current).last_line    = YYRHSLOC (Rhs, N).last_line;         \
          (Current).last_column  = YYRHSLOC (Rhs, N).last_column;       \
        }                                                               \
      else                                                              \
        {                                                               \
          (Current).first_line   = (Current).last_line   =              \
            YYRHSLOC (Rhs, 0).last_line;                                \
          (Current).first_column = (Current).last_column =              \
            YYRHSLOC (Rhs, 0).last_column;                              \
        }                                                               \
    while (0)
#endif

#define YYRHSLOC(Rhs, K) ((Rhs)[K])


/* Enable debugging if requested.  */
#if TEXT_DEBUG

# ifndef YYFPRINTF
#  include <stdio.h> /* INFRINGES ON USER NAME SPACE */
#  define YYFPRINTF fprintf
# endif

# define YYDPRINTF(Args)                        \
do {                                            \
  if (yydebug)                                  \
    YYFPRINTF Args;                             \
} while (0)


/* YYLOCATION_PRINT -- Print the location on the stream.
   This macro was not mandated originally: define only if we know
   we won't break user code: when these are the locations we know.  */

# ifndef YYLOCATION_PRINT

#  if defined YY_LOCATION_PRINT

   /* Temporary convenience wrapper in case some people defined the
      undocumented and private YY_LOCATION_PRINT macros.  */
#   define YYLOCATION_PRINT(File, Loc)  YY_LOCATION_PRINT(File, *(Loc))

#  elif defined TEXT_LTYPE_IS_TRIVIAL && TEXT_LTYPE_IS_TRIVIAL

/* Print *YYLOCP on YYO.  Private, do not rely on its existence. */

YY_ATTRIBUTE_UNUSED
static int
yy_location_print_ (FILE *yyo, YYLTYPE const * const yylocp)
{
  int res = 0;
  int end_col = 0 != yylocp->last_column ? yylocp->last_column - 1 : 0;
  if (0 <= yylocp->first_line)
    {
      res += YYFPRINTF (yyo, "%d", yylocp->first_line);
      if (0 <= yylocp->first_column)
        res += YYFPRINTF (yyo, ".%d", yylocp->first_column);
    }
  if (0 <= yylocp->last_line)
    {
      if (yylocp->first_line < yylocp->last_line)
        {
          res += YYFPRINTF (yyo, "-%d", yylocp->last_line);
          if (0 <= end_col)
            res += YYFPRINTF (yyo, ".%d", end_col);
        }
      else if (0 <= end_col && yylocp->first_column < end_col)
        res += YYFPRINTF (yyo, "-%d", end_col);
    }
  return res;
}

#   define YYLOCATION_PRINT  yy_location_print_

    /* Temporary convenience wrapper in case some people defined the
       undocumented and private YY_LOCATION_PRINT macros.  */
#   define YY_LOCATION_PRINT(File, Loc)  YYLOCATION_PRINT(File, &(Loc))

#  else

#   define YYLOCATION_PRINT(File, Loc) ((void) 0)
    /* Temporary convenience wrapper in case some people defined the
       undocumented and private YY_LOCATION_PRINT macros.  */
#   define YY_LOCATION_PRINT  YYLOCATION_PRINT

#  endif
# endif /* !defined YYLOCATION_PRINT */


# define YY_SYMBOL_PRINT(Title, Kind, Value, Location)                    \
do {                                                                      \
  if (yydebug)                                                            \
    {                                                                     \
      YYFPRINTF (stderr, "%s ", Title);                                   \
      yy_symbol_print (stderr,                                            \
                  Kind, Value, Location, scanner, p); \
      YYFPRINTF (stderr, "\n");                                           \
    }                                                                     \
} while (0)


/*-----------------------------------.
| Print this symbol's value on YYO.  |
`-----------------------------------*/

static void
yy_symbol_value_print (FILE *yyo,
                       yysymbol_kind_t yykind, YYSTYPE const * const yyvaluep, YYLTYPE const * const yylocationp, void *scanner, Parser *p)
{
  FILE *yyoutput = yyo;
  YY_USE (yyoutput);
  YY_USE (yylocationp);
  YY_USE (scanner);
  YY_USE (p);
  if (!yyvaluep)
    return;
  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  YY_USE (yykind);
  YY_IGNORE_MAYBE_UNINITIALIZED_END
}


/*---------------------------.
| Print this symbol on YYO.  |
`---------------------------*/

static void
yy_symbol_print (FILE *yyo,
                 yysymbol_kind_t yykind, YYSTYPE const * const yyvaluep, YYLTYPE const * const yylocationp, void *scanner, Parser *p)
{
  YYFPRINTF (yyo, "%s %s (",
             yykind < YYNTOKENS ? "token" : "nterm", yysymbol_name (yykind));

  YYLOCATION_PRINT (yyo, yylocationp);
  YYFPRINTF (yyo, ": ");
  yy_symbol_value_print (yyo, yykind, yyvaluep, yylocationp, scanner, p);
  YYFPRINTF (yyo, ")");
}

/*------------------------------------------------------------------.
| yy_stack_print -- Print the state stack from its BOTTOM up to its |
| TOP (included).                                                   |
`------------------------------------------------------------------*/

static void
yy_stack_print (yy_state_t *yybottom, yy_state_t *yytop)
{
  YYFPRINTF (stderr, "Stack now");
  for (; yybottom <= yytop; yybottom++)
    {
      int yybot = *yybottom;
      YYFPRINTF (stderr, " %d", yybot);
    }
  YYFPRINTF (stderr, "\n");
}

# define YY_STACK_PRINT(Bottom, Top)                            \
do {                                                            \
  if (yydebug)                                                  \
    yy_stack_print ((Bottom), (Top));                           \
} while (0)


/*------------------------------------------------.
| Report that the YYRULE is going to be reduced.  |
`------------------------------------------------*/

static void
yy_reduce_print (yy_state_t *yyssp, YYSTYPE *yyvsp, YYLTYPE *yylsp,
                 int yyrule, void *scanner, Parser *p)
{
  int yylno = yyrline[yyrule];
  int yynrhs = yyr2[yyrule];
  int yyi;
  YYFPRINTF (stderr, "Reducing stack by rule %d (line %d):\n",
             yyrule - 1, yylno);
  /* The symbols being reduced.  */
  for (yyi = 0; yyi < yynrhs; yyi++)
    {
      YYFPRINTF (stderr, "   $%d = ", yyi + 1);
      yy_symbol_print (stderr,
                       YY_ACCESSING_SYMBOL (+yyssp[yyi + 1 - yynrhs]),
                       &yyvsp[(yyi + 1) - (yynrhs)],
                       &(yylsp[(yyi + 1) - (yynrhs)]), scanner, p);
      YYFPRINTF (stderr, "\n");
    }
}

# define YY_REDUCE_PRINT(Rule)          \
do {                                    \
  if (yydebug)                          \
    yy_reduce_print (yyssp, yyvsp, yylsp, Rule, scanner, p); \
} while (0)

/* Nonzero means print parse trace.  It is left uninitialized so that
   multiple parsers can coexist.  */
int yydebug;
#else /* !TEXT_DEBUG */
# define YYDPRINTF(Args) ((void) 0)
# define YY_SYMBOL_PRINT(Title, Kind, Value, Location)
# define YY_STACK_PRINT(Bottom, Top)
# define YY_REDUCE_PRINT(Rule)
#endif /* !TEXT_DEBUG */


/* YYINITDEPTH -- initial size of the parser's stacks.  */
#ifndef YYINITDEPTH
# define YYINITDEPTH 200
#endif

/* YYMAXDEPTH -- maximum size the stacks can grow to (effective only
   if the built-in stack extension method is used).

   Do not make this value too large; the results are undefined if
   YYSTACK_ALLOC_MAXIMUM < YYSTACK_BYTES (YYMAXDEPTH)
   evaluated with infinite-precision integer arithmetic.  */

#ifndef YYMAXDEPTH
# define YYMAXDEPTH 10000
#endif


/* Context of a parse error.  */
typedef struct
{
  yy_state_t *yyssp;
  yysymbol_kind_t yytoken;
  YYLTYPE *yylloc;
} yypcontext_t;

/* Put in YYARG at most YYARGN of the expected tokens given the
   current YYCTX, and return the number of tokens stored in YYARG.  If
   YYARG is null, return the number of expected tokens (guaranteed to
   be less than YYNTOKENS).  Return YYENOMEM on memory exhaustion.
   Return 0 if there are more than YYARGN expected tokens, yet fill
   YYARG up to YYARGN. */
static int
yypcontext_expected_tokens (const yypcontext_t *yyctx,
                            yysymbol_kind_t yyarg[], int yyargn)
{
  /* Actual size of YYARG. */
  int yycount = 0;
  int yyn = yypact[+*yyctx->yyssp];
  if (!yypact_value_is_default (yyn))
    {
      /* Start YYX at -YYN if negative to avoid negative indexes in
         YYCHECK.  In other words, skip the first -YYN actions for
         this state because they are default actions.  */
      int yyxbegin = yyn < 0 ? -yyn : 0;
      /* Stay within bounds of both yycheck and yytname.  */
      int yychecklim = YYLAST - yyn + 1;
      int yyxend = yychecklim < YYNTOKENS ? yychecklim : YYNTOKENS;
      int yyx;
      for (yyx = yyxbegin; yyx < yyxend; ++yyx)
        if (yycheck[yyx + yyn] == yyx && yyx != YYSYMBOL_YYerror
            && !yytable_value_is_error (yytable[yyx + yyn]))
          {
            if (!yyarg)
              ++yycount;
            else if (yycount == yyargn)
              return 0;
            else
              yyarg[yycount++] = YY_CAST (yysymbol_kind_t, yyx);
          }
    }
  if (yyarg && yycount == 0 && 0 < yyargn)
    yyarg[0] = YYSYMBOL_YYEMPTY;
  return yycount;
}




/* The kind of the lookahead of this context.  */
static yysymbol_kind_t
yypcontext_token (const yypcontext_t *yyctx) YY_ATTRIBUTE_UNUSED;

static yysymbol_kind_t
yypcontext_token (const yypcontext_t *yyctx)
{
  return yyctx->yytoken;
}

/* The location of the lookahead of this context.  */
static YYLTYPE *
yypcontext_location (const yypcontext_t *yyctx) YY_ATTRIBUTE_UNUSED;

static YYLTYPE *
yypcontext_location (const yypcontext_t *yyctx)
{
  return yyctx->yylloc;
}

/* User defined function to report a syntax error.  */
static int
yyreport_syntax_error (const yypcontext_t *yyctx, void *scanner, Parser *p);

/*-----------------------------------------------.
| Release the memory associated to this symbol.  |
`-----------------------------------------------*/

static void
yydestruct (const char *yymsg,
            yysymbol_kind_t yykind, YYSTYPE *yyvaluep, YYLTYPE *yylocationp, void *scanner, Parser *p)
{
  YY_USE (yyvaluep);
  YY_USE (yylocationp);
  YY_USE (scanner);
  YY_USE (p);
  if (!yymsg)
    yymsg = "Deleting";
  YY_SYMBOL_PRINT (yymsg, yykind, yyvaluep, yylocationp);

  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  YY_USE (yykind);
  YY_IGNORE_MAYBE_UNINITIALIZED_END
}






/*----------.
| yyparse.  |
`----------*/

int
yyparse (void *scanner, Parser *p)
{
/* Lookahead token kind.  */
int yychar;


/* The semantic value of the lookahead symbol.  */
/* Default value used for initialization, for pacifying older GCCs
   or non-GCC compilers.  */
YY_INITIAL_VALUE (static YYSTYPE yyval_default;)
YYSTYPE yylval YY_INITIAL_VALUE (= yyval_default);

/* Location data for the lookahead symbol.  */
static YYLTYPE yyloc_default
# if defined TEXT_LTYPE_IS_TRIVIAL && TEXT_LTYPE_IS_TRIVIAL
  = { 1, 1, 1, 1 }
# endif
;
YYLTYPE yylloc = yyloc_default;

    /* Number of syntax errors so far.  */
    int yynerrs = 0;

    yy_state_fast_t yystate = 0;
    /* Number of tokens to shift before error messages enabled.  */
    int yyerrstatus = 0;

    /* Refer to the stacks through separate pointers, to allow yyoverflow
       to reallocate them elsewhere.  */

    /* Their size.  */
    YYPTRDIFF_T yystacksize = YYINITDEPTH;

    /* The state stack: array, bottom, top.  */
    yy_state_t yyssa[YYINITDEPTH];
    yy_state_t *yyss = yyssa;
    yy_state_t *yyssp = yyss;

    /* The semantic value stack: array, bottom, top.  */
    YYSTYPE yyvsa[YYINITDEPTH];
    YYSTYPE *yyvs = yyvsa;
    YYSTYPE *yyvsp = yyvs;

    /* The location stack: array, bottom, top.  */
    YYLTYPE yylsa[YYINITDEPTH];
    YYLTYPE *yyls = yylsa;
    YYLTYPE *yylsp = yyls;

  int yyn;
  /* The return value of yyparse.  */
  int yyresult;
  /* Lookahead symbol kind.  */
  yysymbol_kind_t yytoken = YYSYMBOL_YYEMPTY;
  /* The variables used to return semantic value and location from the
     action routines.  */
  YYSTYPE yyval;
  YYLTYPE yyloc;

  /* The locations where the error started and ended.  */
  YYLTYPE yyerror_range[3];



#define YYPOPSTACK(N)   (yyvsp -= (N), yyssp -= (N), yylsp -= (N))

  /* The number of symbols on the RHS of the reduced rule.
     Keep to zero when no symbol should be popped.  */
  int yylen = 0;

  YYDPRINTF ((stderr, "Starting parse\n"));

  yychar = TEXT_EMPTY; /* Cause a token to be read.  */

  yylsp[0] = yylloc;
  goto yysetstate;


/*------------------------------------------------------------.
| yynewstate -- push a new state, which is found in yystate.  |
`------------------------------------------------------------*/
yynewstate:
  /* In all cases, when you get here, the value and location stacks
     have just been pushed.  So pushing a state here evens the stacks.  */
  yyssp++;


/*--------------------------------------------------------------------.
| yysetstate -- set current state (the top of the stack) to yystate.  |
`--------------------------------------------------------------------*/
yysetstate:
  YYDPRINTF ((stderr, "Entering state %d\n", yystate));
  YY_ASSERT (0 <= yystate && yystate < YYNSTATES);
  YY_IGNORE_USELESS_CAST_BEGIN
  *yyssp = YY_CAST (yy_state_t, yystate);
  YY_IGNORE_USELESS_CAST_END
  YY_STACK_PRINT (yyss, yyssp);

  if (yyss + yystacksize - 1 <= yyssp)
#if !defined yyoverflow && !defined YYSTACK_RELOCATE
    YYNOMEM;
#else
    {
      /* Get the current used size of the three stacks, in elements.  */
      YYPTRDIFF_T yysize = yyssp - yyss + 1;

# if defined yyoverflow
      {
        /* Give user a chance to reallocate the stack.  Use copies of
           these so that the &'s don't force the real ones into
           memory.  */
        yy_state_t *yyss1 = yyss;
        YYSTYPE *yyvs1 = yyvs;
        YYLTYPE *yyls1 = yyls;

        /* Each stack pointer address is followed by the size of the
           data in use in that stack, in bytes.  This used to be a
           conditional around just the two extra args, but that might
           be undefined if yyoverflow is a macro.  */
        yyoverflow (YY_("memory exhausted"),
                    &yyss1, yysize * YYSIZEOF (*yyssp),
                    &yyvs1, yysize * YYSIZEOF (*yyvsp),
                    &yyls1, yysize * YYSIZEOF (*yylsp),
                    &yystacksize);
        yyss = yyss1;
        yyvs = yyvs1;
        yyls = yyls1;
      }
# else /* defined YYSTACK_RELOCATE */
      /* Extend the stack our own way.  */
      if (YYMAXDEPTH <= yystacksize)
        YYNOMEM;
      yystacksize *= 2;
      if (YYMAXDEPTH < yystacksize)
        yystacksize = YYMAXDEPTH;

      {
        yy_state_t *yyss1 = yyss;
        union yyalloc *yyptr =
          YY_CAST (union yyalloc *,
                   YYSTACK_ALLOC (YY_CAST (YYSIZE_T, YYSTACK_BYTES (yystacksize))));
        if (! yyptr)
          YYNOMEM;
        YYSTACK_RELOCATE (yyss_alloc, yyss);
        YYSTACK_RELOCATE (yyvs_alloc, yyvs);
        YYSTACK_RELOCATE (yyls_alloc, yyls);
#  undef YYSTACK_RELOCATE
        if (yyss1 != yyssa)
          YYSTACK_FREE (yyss1);
      }
# endif

      yyssp = yyss + yysize - 1;
      yyvsp = yyvs + yysize - 1;
      yylsp = yyls + yysize - 1;

      YY_IGNORE_USELESS_CAST_BEGIN
      YYDPRINTF ((stderr, "Stack size increased to %ld\n",
                  YY_CAST (long, yystacksize)));
      YY_IGNORE_USELESS_CAST_END

      if (yyss + yystacksize - 1 <= yyssp)
        YYABORT;
    }
#endif /* !defined yyoverflow && !defined YYSTACK_RELOCATE */


  if (yystate == YYFINAL)
    YYACCEPT;

  goto yybackup;


/*-----------.
| yybackup.  |
`-----------*/
yybackup:
  /* Do appropriate processing given the current state.  Read a
     lookahead token if we need one and don't already have one.  */

  /* First try to decide what to do without reference to lookahead token.  */
  yyn = yypact[yystate];
  if (yypact_value_is_default (yyn))
    goto yydefault;

  /* Not known => get a lookahead token if don't already have one.  */

  /* YYCHAR is either empty, or end-of-input, or a valid lookahead.  */
  if (yychar == TEXT_EMPTY)
    {
      YYDPRINTF ((stderr, "Reading a token\n"));
      yychar = yylex (&yylval, &yylloc, scanner);
    }

  if (yychar <= END)
    {
      yychar = END;
      yytoken = YYSYMBOL_YYEOF;
      YYDPRINTF ((stderr, "Now at end of input.\n"));
    }
  else if (yychar == TEXT_error)
    {
      /* The scanner already issued an error message, process directly
         to error recovery.  But do not keep the error token as
         lookahead, it is too special and may lead us to an endless
         loop in error recovery. */
      yychar = TEXT_UNDEF;
      yytoken = YYSYMBOL_YYerror;
      yyerror_range[1] = yylloc;
      goto yyerrlab1;
    }
  else
    {
      yytoken = YYTRANSLATE (yychar);
      YY_SYMBOL_PRINT ("Next token is", yytoken, &yylval, &yylloc);
    }

  /* If the proper action on seeing token YYTOKEN is to reduce or to
     detect an error, take that action.  */
  yyn += yytoken;
  if (yyn < 0 || YYLAST < yyn || yycheck[yyn] != yytoken)
    goto yydefault;
  yyn = yytable[yyn];
  if (yyn <= 0)
    {
      if (yytable_value_is_error (yyn))
        goto yyerrlab;
      yyn = -yyn;
      goto yyreduce;
    }

  /* Count tokens shifted since error; after three, turn off error
     status.  */
  if (yyerrstatus)
    yyerrstatus--;

  /* Shift the lookahead token.  */
  YY_SYMBOL_PRINT ("Shifting", yytoken, &yylval, &yylloc);
  yystate = yyn;
  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  *++yyvsp = yylval;
  YY_IGNORE_MAYBE_UNINITIALIZED_END
  *++yylsp = yylloc;

  /* Discard the shifted token.  */
  yychar = TEXT_EMPTY;
  goto yynewstate;


/*-----------------------------------------------------------.
| yydefault -- do the default action for the current state.  |
`-----------------------------------------------------------*/
yydefault:
  yyn = yydefact[yystate];
  if (yyn == 0)
    goto yyerrlab;
  goto yyreduce;


/*-----------------------------.
| yyreduce -- do a reduction.  |
`-----------------------------*/
yyreduce:
  /* yyn is the number of a rule to reduce with.  */
  yylen = yyr2[yyn];

  /* If YYLEN is nonzero, implement the default value of the action:
     '$$ = $1'.

     Otherwise, the following line sets YYVAL to garbage.
     This behavior is undocumented and Bison
     users should not rely upon it.  Assigning to YYVAL
     unconditionally makes the parser a bit smaller, and it avoids a
     GCC warning that YYVAL may be used uninitialized.  */
  yyval = yyvsp[1-yylen];

  /* Default location. */
  YYLLOC_DEFAULT (yyloc, (yylsp - yylen), yylen);
  yyerror_range[1] = yyloc;
  YY_REDUCE_PRINT (yyn);
  switch (yyn)
    {
  case 2: /* model: open_header header main functions  */
#line 81 "frontend/text.y"
                                                { text_model(p, (yyvsp[-3].header), (yyvsp[-1].graph)); }
#line 1711 "y.tab.c"
    break;

  case 3: /* open_header: %empty  */
#line 83 "frontend/text.y"
                                                { (yyval.header) = p->header = header_open(p); }
#line 1717 "y.tab.c"
    break;

  case 5: /* main: error body  */
#line 86 "frontend/text.y"
                                                { (void)(yyvsp[0].nodes); RESUMED; (yyval.graph) = NULL; }
#line 1723 "y.tab.c"
    break;

  case 12: /* field: id ':' field_number  */
#line 99 "frontend/text.y"
                                                { header_field(p, (yyvsp[-2].s), (yylsp[-2]), (yyvsp[0].lit), NULL, NULL); }
#line 1729 "y.tab.c"
    break;

  case 13: /* field: id ':' "a quoted string"  */
#line 100 "frontend/text.y"
                                                { header_field(p, (yyvsp[-2].s), (yylsp[-2]), NULL, (yyvsp[0].s), NULL); }
#line 1735 "y.tab.c"
    break;

  case 14: /* field: id ':' '[' ']'  */
#line 101 "frontend/text.y"
                                                { header_field(p, (yyvsp[-3].s), (yylsp[-3]), NULL, NULL, NEW(p->c, Entries)); }
#line 1741 "y.tab.c"
    break;

  case 15: /* field: id ':' '[' entries ']'  */
#line 102 "frontend/text.y"
                                                { header_field(p, (yyvsp[-4].s), (yylsp[-4]), NULL, NULL, (yyvsp[-1].entries)); }
#line 1747 "y.tab.c"
    break;

  case 17: /* entries: "a quoted string" ':' "a number"  */
#line 106 "frontend/text.y"
                                                { Entry e = {(yyvsp[-2].s), spot_loc(p, (yylsp[-2])), NULL, (yyvsp[0].lit)}; (yyval.entries) = NULL; PUSH((yyval.entries), Entries, v, e); }
#line 1753 "y.tab.c"
    break;

  case 18: /* entries: "a quoted string" ':' "a quoted string"  */
#line 107 "frontend/text.y"
                                                { Entry e = {(yyvsp[-2].s), spot_loc(p, (yylsp[-2])), (yyvsp[0].s), NULL}; (yyval.entries) = NULL; PUSH((yyval.entries), Entries, v, e); }
#line 1759 "y.tab.c"
    break;

  case 19: /* entries: entries ',' "a quoted string" ':' "a number"  */
#line 108 "frontend/text.y"
                                                { Entry e = {(yyvsp[-2].s), spot_loc(p, (yylsp[-2])), NULL, (yyvsp[0].lit)}; (yyval.entries) = (yyvsp[-4].entries); PUSH((yyval.entries), Entries, v, e); }
#line 1765 "y.tab.c"
    break;

  case 20: /* entries: entries ',' "a quoted string" ':' "a quoted string"  */
#line 109 "frontend/text.y"
                                                { Entry e = {(yyvsp[-2].s), spot_loc(p, (yylsp[-2])), (yyvsp[0].s), NULL}; (yyval.entries) = (yyvsp[-4].entries); PUSH((yyval.entries), Entries, v, e); }
#line 1771 "y.tab.c"
    break;

  case 21: /* skip: error ','  */
#line 111 "frontend/text.y"
                                                { RESUMED; }
#line 1777 "y.tab.c"
    break;

  case 23: /* end_angle: error '>'  */
#line 113 "frontend/text.y"
                                                { RESUMED; }
#line 1783 "y.tab.c"
    break;

  case 25: /* end_paren: error ')'  */
#line 115 "frontend/text.y"
                                                { RESUMED; }
#line 1789 "y.tab.c"
    break;

  case 26: /* graph: name inputs "'=>'" outputs rest body  */
#line 120 "frontend/text.y"
                                                { (yyval.graph) = text_graph(p, (yylsp[-5]), (yyvsp[-5].s), (yyvsp[-4].items), (yyvsp[-2].infos), (yyvsp[-1].items), (yyvsp[0].nodes)); }
#line 1795 "y.tab.c"
    break;

  case 27: /* inputs: %empty  */
#line 122 "frontend/text.y"
                                                { (yyval.items) = NULL; }
#line 1801 "y.tab.c"
    break;

  case 28: /* inputs: '(' ')'  */
#line 123 "frontend/text.y"
                                                { (yyval.items) = NULL; }
#line 1807 "y.tab.c"
    break;

  case 29: /* inputs: '(' items end_paren  */
#line 124 "frontend/text.y"
                                                { (yyval.items) = (yyvsp[-1].items); }
#line 1813 "y.tab.c"
    break;

  case 30: /* outputs: '(' ')'  */
#line 126 "frontend/text.y"
                                                { (yyval.infos) = NULL; }
#line 1819 "y.tab.c"
    break;

  case 31: /* outputs: '(' infos end_paren  */
#line 127 "frontend/text.y"
                                                { (yyval.infos) = (yyvsp[-1].infos); }
#line 1825 "y.tab.c"
    break;

  case 32: /* rest: %empty  */
#line 129 "frontend/text.y"
                                                { (yyval.items) = NULL; }
#line 1831 "y.tab.c"
    break;

  case 33: /* rest: '<' '>'  */
#line 130 "frontend/text.y"
                                                { (yyval.items) = NULL; }
#line 1837 "y.tab.c"
    break;

  case 34: /* rest: '<' items end_angle  */
#line 131 "frontend/text.y"
                                                { (yyval.items) = (yyvsp[-1].items); }
#line 1843 "y.tab.c"
    break;

  case 35: /* items: item  */
#line 133 "frontend/text.y"
                                                { (yyval.items) = NULL; PUSH((yyval.items), Items, v, *(yyvsp[0].item)); }
#line 1849 "y.tab.c"
    break;

  case 36: /* items: skip item  */
#line 134 "frontend/text.y"
                                                { (yyval.items) = NULL; PUSH((yyval.items), Items, v, *(yyvsp[0].item)); }
#line 1855 "y.tab.c"
    break;

  case 37: /* items: items ',' item  */
#line 135 "frontend/text.y"
                                                { (yyval.items) = (yyvsp[-2].items); PUSH((yyval.items), Items, v, *(yyvsp[0].item)); }
#line 1861 "y.tab.c"
    break;

  case 38: /* items: items skip item  */
#line 136 "frontend/text.y"
                                                { (yyval.items) = (yyvsp[-2].items); PUSH((yyval.items), Items, v, *(yyvsp[0].item)); }
#line 1867 "y.tab.c"
    break;

  case 39: /* item: info  */
#line 138 "frontend/text.y"
                                                { (yyval.item) = NEW(p->c, Item); (yyval.item)->info = *(yyvsp[0].info); }
#line 1873 "y.tab.c"
    break;

  case 40: /* $@1: %empty  */
#line 139 "frontend/text.y"
                                                { p->constant = mname(p, (yylsp[-1]), (yyvsp[-1].info)->name); p->type = (yyvsp[-1].info)->type; }
#line 1879 "y.tab.c"
    break;

  case 41: /* item: info '=' $@1 data  */
#line 140 "frontend/text.y"
                                                { (yyval.item) = NEW(p->c, Item); *(yyval.item) = (Item){*(yyvsp[-3].info), true, (yyvsp[0].tensor)}; }
#line 1885 "y.tab.c"
    break;

  case 42: /* infos: info  */
#line 142 "frontend/text.y"
                                                { (yyval.infos) = NULL; PUSH((yyval.infos), Infos, v, *(yyvsp[0].info)); }
#line 1891 "y.tab.c"
    break;

  case 43: /* infos: skip info  */
#line 143 "frontend/text.y"
                                                { (yyval.infos) = NULL; PUSH((yyval.infos), Infos, v, *(yyvsp[0].info)); }
#line 1897 "y.tab.c"
    break;

  case 44: /* infos: infos ',' info  */
#line 144 "frontend/text.y"
                                                { (yyval.infos) = (yyvsp[-2].infos); PUSH((yyval.infos), Infos, v, *(yyvsp[0].info)); }
#line 1903 "y.tab.c"
    break;

  case 45: /* infos: infos skip info  */
#line 145 "frontend/text.y"
                                                { (yyval.infos) = (yyvsp[-2].infos); PUSH((yyval.infos), Infos, v, *(yyvsp[0].info)); }
#line 1909 "y.tab.c"
    break;

  case 46: /* info: plain  */
#line 147 "frontend/text.y"
                                                { (yyval.info) = NEW(p->c, MValueInfo); *(yyval.info) = (MValueInfo){(yyvsp[0].s), spot_loc(p, (yylsp[0])), NULL}; }
#line 1915 "y.tab.c"
    break;

  case 47: /* info: type name  */
#line 148 "frontend/text.y"
                                                { (yyval.info) = NEW(p->c, MValueInfo); *(yyval.info) = (MValueInfo){(yyvsp[0].s), spot_loc(p, (yylsp[0])), (yyvsp[-1].type)}; (yyloc) = (yylsp[0]); }
#line 1921 "y.tab.c"
    break;

  case 48: /* body: '{' nodes '}'  */
#line 150 "frontend/text.y"
                                                { nodes_close(p, (yyvsp[-1].nodes)); (yyval.nodes) = (yyvsp[-1].nodes); }
#line 1927 "y.tab.c"
    break;

  case 49: /* body: '{' nodes error '}'  */
#line 151 "frontend/text.y"
                                                { RESUMED; nodes_close(p, (yyvsp[-2].nodes)); (yyval.nodes) = (yyvsp[-2].nodes); }
#line 1933 "y.tab.c"
    break;

  case 52: /* function: open_header header name params fvars "'=>'" fvars finfos body  */
#line 158 "frontend/text.y"
                                                { text_function(p, (yylsp[-6]), (yyvsp[-8].header), (yyvsp[-6].s), (yyvsp[-5].params), (yyvsp[-4].vars), (yyvsp[-2].vars), (yyvsp[-1].infos), (yyvsp[0].nodes)); }
#line 1939 "y.tab.c"
    break;

  case 53: /* function: error body  */
#line 159 "frontend/text.y"
                                                { (void)(yyvsp[0].nodes); RESUMED; }
#line 1945 "y.tab.c"
    break;

  case 54: /* params: %empty  */
#line 161 "frontend/text.y"
                                                { (yyval.params) = NULL; }
#line 1951 "y.tab.c"
    break;

  case 55: /* params: '<' param_list '>'  */
#line 162 "frontend/text.y"
                                                { (yyval.params) = (yyvsp[-1].params); }
#line 1957 "y.tab.c"
    break;

  case 56: /* param_list: name  */
#line 164 "frontend/text.y"
                                                { (yyval.params) = NULL; PUSH((yyval.params), Params, names, mname(p, (yylsp[0]), (yyvsp[0].s))); }
#line 1963 "y.tab.c"
    break;

  case 57: /* param_list: attr  */
#line 165 "frontend/text.y"
                                                { (yyval.params) = NULL; PUSH((yyval.params), Params, defaults, p->attrs.at[--p->attrs.n]); }
#line 1969 "y.tab.c"
    break;

  case 58: /* param_list: param_list ',' name  */
#line 166 "frontend/text.y"
                                                { (yyval.params) = (yyvsp[-2].params); PUSH((yyval.params), Params, names, mname(p, (yylsp[0]), (yyvsp[0].s))); }
#line 1975 "y.tab.c"
    break;

  case 59: /* param_list: param_list ',' attr  */
#line 167 "frontend/text.y"
                                                { (yyval.params) = (yyvsp[-2].params); PUSH((yyval.params), Params, defaults, p->attrs.at[--p->attrs.n]); }
#line 1981 "y.tab.c"
    break;

  case 60: /* fvars: '(' ')'  */
#line 169 "frontend/text.y"
                                                { (yyval.vars) = NULL; }
#line 1987 "y.tab.c"
    break;

  case 61: /* fvars: '(' vars ')'  */
#line 170 "frontend/text.y"
                                                { (yyval.vars) = (yyvsp[-1].vars); }
#line 1993 "y.tab.c"
    break;

  case 62: /* vars: info  */
#line 172 "frontend/text.y"
                                                { (yyval.vars) = NULL; PUSH((yyval.vars), FuncVars, infos, *(yyvsp[0].info)); }
#line 1999 "y.tab.c"
    break;

  case 63: /* vars: vars ',' info  */
#line 173 "frontend/text.y"
                                                { (yyval.vars) = (yyvsp[-2].vars); PUSH((yyval.vars), FuncVars, infos, *(yyvsp[0].info)); }
#line 2005 "y.tab.c"
    break;

  case 64: /* finfos: %empty  */
#line 175 "frontend/text.y"
                                                { (yyval.infos) = NULL; }
#line 2011 "y.tab.c"
    break;

  case 65: /* finfos: '<' '>'  */
#line 176 "frontend/text.y"
                                                { (yyval.infos) = NULL; }
#line 2017 "y.tab.c"
    break;

  case 66: /* finfos: '<' infos end_angle  */
#line 177 "frontend/text.y"
                                                { (yyval.infos) = (yyvsp[-1].infos); }
#line 2023 "y.tab.c"
    break;

  case 67: /* nodes: %empty  */
#line 182 "frontend/text.y"
                                                { (yyval.nodes) = nodes_open(p, (yyloc)); }
#line 2029 "y.tab.c"
    break;

  case 68: /* nodes: nodes node  */
#line 183 "frontend/text.y"
                                                { (yyval.nodes) = (yyvsp[-1].nodes); VEC_PUSH(p->c, (yyval.nodes)->v, *(yyvsp[0].node)); }
#line 2035 "y.tab.c"
    break;

  case 69: /* nodes: nodes error "end of line"  */
#line 184 "frontend/text.y"
                                                { (yyval.nodes) = (yyvsp[-2].nodes); RESUMED; text_resume(p, (yyval.nodes)); }
#line 2041 "y.tab.c"
    break;

  case 70: /* node: outs call  */
#line 186 "frontend/text.y"
                                                { (yyval.node) = (yyvsp[0].node); (yyval.node)->name = ""; (yyval.node)->out = (yyvsp[-1].names)->at; (yyval.node)->nout = (yyvsp[-1].names)->n; }
#line 2047 "y.tab.c"
    break;

  case 71: /* node: '[' ']' outs call  */
#line 187 "frontend/text.y"
                                                { (yyval.node) = (yyvsp[0].node); (yyval.node)->name = ""; (yyval.node)->out = (yyvsp[-1].names)->at; (yyval.node)->nout = (yyvsp[-1].names)->n; }
#line 2053 "y.tab.c"
    break;

  case 72: /* node: '[' name ']' outs call  */
#line 188 "frontend/text.y"
                                                { (yyval.node) = (yyvsp[0].node); (yyval.node)->name = (yyvsp[-3].s); (yyval.node)->out = (yyvsp[-1].names)->at; (yyval.node)->nout = (yyvsp[-1].names)->n; }
#line 2059 "y.tab.c"
    break;

  case 73: /* outs: ids '='  */
#line 190 "frontend/text.y"
                                                { (yyval.names) = names_take(p); }
#line 2065 "y.tab.c"
    break;

  case 74: /* $@2: %empty  */
#line 192 "frontend/text.y"
     { p->names.n = 0; }
#line 2071 "y.tab.c"
    break;

  case 77: /* id_or_none: %empty  */
#line 195 "frontend/text.y"
                                                { VEC_PUSH(p->c, p->names, mname(p, (yyloc), NULL)); }
#line 2077 "y.tab.c"
    break;

  case 78: /* id_or_none: name  */
#line 196 "frontend/text.y"
                                                { VEC_PUSH(p->c, p->names, mname(p, (yylsp[0]), (yyvsp[0].s))); }
#line 2083 "y.tab.c"
    break;

  case 79: /* @3: %empty  */
#line 198 "frontend/text.y"
                                                { (yyval.names) = names_take(p); }
#line 2089 "y.tab.c"
    break;

  case 80: /* call: callee attrs '(' ids ')' @3 attrs  */
#line 199 "frontend/text.y"
                                                { (yyval.node) = text_call(p, (yyvsp[-6].node), (yyvsp[-5].attrs), (yyvsp[-1].names), (yyvsp[0].attrs), (yylsp[0])); }
#line 2095 "y.tab.c"
    break;

  case 81: /* callee: dotted overload  */
#line 201 "frontend/text.y"
                                                { (yyval.node) = text_callee(p, (yylsp[-1]), (yyvsp[0].s)); }
#line 2101 "y.tab.c"
    break;

  case 82: /* dotted: name  */
#line 203 "frontend/text.y"
                                                { p->names.n = 0; VEC_PUSH(p->c, p->names, mname(p, (yylsp[0]), (yyvsp[0].s))); }
#line 2107 "y.tab.c"
    break;

  case 83: /* dotted: dotted '.' name  */
#line 204 "frontend/text.y"
                                                { VEC_PUSH(p->c, p->names, mname(p, (yylsp[0]), (yyvsp[0].s))); }
#line 2113 "y.tab.c"
    break;

  case 84: /* overload: %empty  */
#line 206 "frontend/text.y"
                                                { (yyval.s) = ""; }
#line 2119 "y.tab.c"
    break;

  case 85: /* overload: ':' name  */
#line 207 "frontend/text.y"
                                                { (yyval.s) = (yyvsp[0].s); }
#line 2125 "y.tab.c"
    break;

  case 86: /* attrs: %empty  */
#line 212 "frontend/text.y"
                                                { (yyval.attrs) = NULL; }
#line 2131 "y.tab.c"
    break;

  case 87: /* attrs: '<' attrs_open '>'  */
#line 213 "frontend/text.y"
                                                { (yyval.attrs) = attrs_take(p, (yyvsp[-1].n)); }
#line 2137 "y.tab.c"
    break;

  case 88: /* attrs: '<' attrs_open attr_list '>'  */
#line 214 "frontend/text.y"
                                                { (yyval.attrs) = attrs_take(p, (yyvsp[-2].n)); }
#line 2143 "y.tab.c"
    break;

  case 89: /* attrs_open: %empty  */
#line 216 "frontend/text.y"
                                                { (yyval.n) = p->attrs.n; }
#line 2149 "y.tab.c"
    break;

  case 92: /* attr: name kind '=' values_open value  */
#line 221 "frontend/text.y"
                                                { attr_push(p, (yylsp[-4]), (yyvsp[-4].s), (yyvsp[-3].s), (yyvsp[-1].n), false); }
#line 2155 "y.tab.c"
    break;

  case 93: /* attr: name kind '=' values_open '[' ']'  */
#line 222 "frontend/text.y"
                                                { attr_push(p, (yylsp[-5]), (yyvsp[-5].s), (yyvsp[-4].s), (yyvsp[-2].n), true); }
#line 2161 "y.tab.c"
    break;

  case 94: /* attr: name kind '=' values_open '[' values ']'  */
#line 223 "frontend/text.y"
                                                { attr_push(p, (yylsp[-6]), (yyvsp[-6].s), (yyvsp[-5].s), (yyvsp[-3].n), true); }
#line 2167 "y.tab.c"
    break;

  case 95: /* kind: %empty  */
#line 225 "frontend/text.y"
                                                { (yyval.s) = NULL; }
#line 2173 "y.tab.c"
    break;

  case 96: /* kind: ':' id  */
#line 226 "frontend/text.y"
                                                { (yyval.s) = (yyvsp[0].s); }
#line 2179 "y.tab.c"
    break;

  case 97: /* values_open: %empty  */
#line 228 "frontend/text.y"
                                                { (yyval.n) = p->values.n; }
#line 2185 "y.tab.c"
    break;

  case 100: /* value: "a number"  */
#line 233 "frontend/text.y"
                                                { VALUE(.kind = literal_kind((yyvsp[0].lit)), .lit = *(yyvsp[0].lit)); }
#line 2191 "y.tab.c"
    break;

  case 101: /* value: "a number, inf or nan"  */
#line 234 "frontend/text.y"
                                                { VALUE(.kind = ATTR_FLOAT, .lit = {(yyvsp[0].s), strlen((yyvsp[0].s)), spot_loc(p, (yylsp[0]))}); }
#line 2197 "y.tab.c"
    break;

  case 102: /* value: "a quoted string"  */
#line 235 "frontend/text.y"
                                                { VALUE(.kind = ATTR_STRING, .lit.loc = spot_loc(p, (yylsp[0])), .s = (yyvsp[0].s)); }
#line 2203 "y.tab.c"
    break;

  case 103: /* value: '@' name  */
#line 236 "frontend/text.y"
                                                { VALUE(.lit.loc = spot_loc(p, (yylsp[-1])), .s = (yyvsp[0].s)); }
#line 2209 "y.tab.c"
    break;

  case 104: /* value: graph_value  */
#line 237 "frontend/text.y"
                                                { VALUE(.kind = ATTR_GRAPH, .lit.loc = spot_loc(p, (yylsp[0])), .graph = (yyvsp[0].graph)); }
#line 2215 "y.tab.c"
    break;

  case 105: /* value: type  */
#line 238 "frontend/text.y"
                                                { VALUE(.kind = ATTR_TYPE, .lit.loc = spot_loc(p, (yylsp[0])), .type = (yyvsp[0].type)); }
#line 2221 "y.tab.c"
    break;

  case 106: /* value: type tensor_open braces  */
#line 239 "frontend/text.y"
                                                { VALUE(.kind = ATTR_TENSOR, .lit.loc = spot_loc(p, (yylsp[-2])), .tensor = (yyvsp[0].tensor)); }
#line 2227 "y.tab.c"
    break;

  case 107: /* value: type tensor_open '=' data  */
#line 240 "frontend/text.y"
                                                { VALUE(.kind = ATTR_TENSOR, .lit.loc = spot_loc(p, (yylsp[-3])), .tensor = (yyvsp[0].tensor)); }
#line 2233 "y.tab.c"
    break;

  case 108: /* $@4: %empty  */
#line 241 "frontend/text.y"
                                                { p->constant = mname(p, (yylsp[0]), (yyvsp[0].s)); p->type = (yyvsp[-1].type); }
#line 2239 "y.tab.c"
    break;

  case 109: /* value: type name $@4 equals data  */
#line 242 "frontend/text.y"
                                                { VALUE(.kind = ATTR_TENSOR, .lit.loc = spot_loc(p, (yylsp[-4])), .tensor = (yyvsp[0].tensor)); }
#line 2245 "y.tab.c"
    break;

  case 110: /* tensor_open: %empty  */
#line 244 "frontend/text.y"
                                                { p->constant = mname(p, (yyloc), ""); p->type = (yyvsp[0].type); }
#line 2251 "y.tab.c"
    break;

  case 113: /* graph_value: "a name" inputs "'=>'" outputs rest body  */
#line 248 "frontend/text.y"
                                                { (yyval.graph) = text_graph(p, (yylsp[-5]), (yyvsp[-5].s), (yyvsp[-4].items), (yyvsp[-2].infos), (yyvsp[-1].items), (yyvsp[0].nodes)); }
#line 2257 "y.tab.c"
    break;

  case 114: /* graph_value: "a quoted string" inputs "'=>'" outputs rest body  */
#line 250 "frontend/text.y"
                                                { (yyval.graph) = text_graph(p, (yylsp[-5]), text_name(p, (yylsp[-5]), (yyvsp[-5].s)), (yyvsp[-4].items), (yyvsp[-2].infos), (yyvsp[-1].items), (yyvsp[0].nodes)); }
#line 2263 "y.tab.c"
    break;

  case 115: /* data: %empty  */
#line 252 "frontend/text.y"
                                                { (yyval.tensor) = payload_none(p, false); }
#line 2269 "y.tab.c"
    break;

  case 117: /* data: '[' entries ']'  */
#line 254 "frontend/text.y"
                                                { (yyval.tensor) = text_external(p, (yyvsp[-1].entries)); }
#line 2275 "y.tab.c"
    break;

  case 118: /* @5: %empty  */
#line 256 "frontend/text.y"
                                                { (yyval.tensor) = payload_read(p); }
#line 2281 "y.tab.c"
    break;

  case 119: /* braces: '{' @5 '}'  */
#line 257 "frontend/text.y"
                                                { (yyval.tensor) = (yyvsp[-1].tensor); }
#line 2287 "y.tab.c"
    break;

  case 120: /* braces: "'...'"  */
#line 258 "frontend/text.y"
                                                { (yyval.tensor) = payload_none(p, true); }
#line 2293 "y.tab.c"
    break;

  case 121: /* type: "a type"  */
#line 263 "frontend/text.y"
                                                { p->dims.n = 0; (yyval.type) = text_tensor_type(p, (yylsp[0]), (yyvsp[0].s), true); }
#line 2299 "y.tab.c"
    break;

  case 122: /* type: "a type" '[' ']'  */
#line 264 "frontend/text.y"
                                                { p->dims.n = 0; (yyval.type) = text_tensor_type(p, (yylsp[-2]), (yyvsp[-2].s), false); }
#line 2305 "y.tab.c"
    break;

  case 123: /* $@6: %empty  */
#line 265 "frontend/text.y"
               { p->dims.n = 0; }
#line 2311 "y.tab.c"
    break;

  case 124: /* type: "a type" '[' $@6 dims ']'  */
#line 265 "frontend/text.y"
                                                { (yyval.type) = text_tensor_type(p, (yylsp[-4]), (yyvsp[-4].s), true); }
#line 2317 "y.tab.c"
    break;

  case 125: /* type: "'seq'" '(' deeper type ')'  */
#line 266 "frontend/text.y"
                                                { p->nesting--; (yyval.type) = text_type(p, (yylsp[-4]), M_SEQUENCE, (yyvsp[-1].type)); }
#line 2323 "y.tab.c"
    break;

  case 126: /* type: "'optional'" '(' deeper type ')'  */
#line 267 "frontend/text.y"
                                                { p->nesting--; (yyval.type) = text_type(p, (yylsp[-4]), M_OPTIONAL, (yyvsp[-1].type)); }
#line 2329 "y.tab.c"
    break;

  case 127: /* type: "'sparse_tensor'" '(' deeper type ')'  */
#line 268 "frontend/text.y"
                                                { p->nesting--; (yyval.type) = text_type(p, (yylsp[-4]), M_SPARSE, (yyvsp[-1].type)); }
#line 2335 "y.tab.c"
    break;

  case 128: /* type: "'map'" '(' "a type" ',' deeper type ')'  */
#line 269 "frontend/text.y"
                                                { MType *t = text_type(p, (yylsp[-6]), M_MAP, (yyvsp[-1].type)); p->nesting--; t->dt = dtype_parse((yyvsp[-4].s)); (yyval.type) = t; }
#line 2341 "y.tab.c"
    break;

  case 129: /* type: "'opaque'" '(' ')'  */
#line 270 "frontend/text.y"
                                                { (yyval.type) = text_opaque(p, (yylsp[-2]), 0, NULL); }
#line 2347 "y.tab.c"
    break;

  case 130: /* type: "'opaque'" '(' dotted ')'  */
#line 271 "frontend/text.y"
                                                { (yyval.type) = text_opaque(p, (yylsp[-3]), p->names.n, NULL); }
#line 2353 "y.tab.c"
    break;

  case 131: /* type: "'opaque'" '(' dotted ',' id ')'  */
#line 272 "frontend/text.y"
                                                { (yyval.type) = text_opaque(p, (yylsp[-5]), p->names.n, (yyvsp[-1].s)); }
#line 2359 "y.tab.c"
    break;

  case 132: /* deeper: %empty  */
#line 274 "frontend/text.y"
                                                { text_deeper(p, (yyloc)); }
#line 2365 "y.tab.c"
    break;

  case 135: /* dim: '?'  */
#line 279 "frontend/text.y"
                                                { VEC_PUSH(p->c, p->dims, ((MDim){-1, NULL})); }
#line 2371 "y.tab.c"
    break;

  case 136: /* dim: name  */
#line 280 "frontend/text.y"
                                                { VEC_PUSH(p->c, p->dims, ((MDim){-1, (yyvsp[0].s)})); }
#line 2377 "y.tab.c"
    break;

  case 137: /* dim: "a number"  */
#line 281 "frontend/text.y"
                                                { text_dim(p, (yyvsp[0].lit)); }
#line 2383 "y.tab.c"
    break;

  case 139: /* name: "a quoted string"  */
#line 284 "frontend/text.y"
                                                { (yyval.s) = text_name(p, (yylsp[0]), (yyvsp[0].s)); }
#line 2389 "y.tab.c"
    break;

  case 150: /* plain: "a quoted string"  */
#line 290 "frontend/text.y"
                                                { (yyval.s) = text_name(p, (yylsp[0]), (yyvsp[0].s)); }
#line 2395 "y.tab.c"
    break;


#line 2399 "y.tab.c"

      default: break;
    }
  /* User semantic actions sometimes alter yychar, and that requires
     that yytoken be updated with the new translation.  We take the
     approach of translating immediately before every use of yytoken.
     One alternative is translating here after every semantic action,
     but that translation would be missed if the semantic action invokes
     YYABORT, YYACCEPT, or YYERROR immediately after altering yychar or
     if it invokes YYBACKUP.  In the case of YYABORT or YYACCEPT, an
     incorrect destructor might then be invoked immediately.  In the
     case of YYERROR or YYBACKUP, subsequent parser actions might lead
     to an incorrect destructor call or verbose syntax error message
     before the lookahead is translated.  */
  YY_SYMBOL_PRINT ("-> $$ =", YY_CAST (yysymbol_kind_t, yyr1[yyn]), &yyval, &yyloc);

  YYPOPSTACK (yylen);
  yylen = 0;

  *++yyvsp = yyval;
  *++yylsp = yyloc;

  /* Now 'shift' the result of the reduction.  Determine what state
     that goes to, based on the state we popped back to and the rule
     number reduced by.  */
  {
    const int yylhs = yyr1[yyn] - YYNTOKENS;
    const int yyi = yypgoto[yylhs] + *yyssp;
    yystate = (0 <= yyi && yyi <= YYLAST && yycheck[yyi] == *yyssp
               ? yytable[yyi]
               : yydefgoto[yylhs]);
  }

  goto yynewstate;


/*--------------------------------------.
| yyerrlab -- here on detecting error.  |
`--------------------------------------*/
yyerrlab:
  /* Make sure we have latest lookahead translation.  See comments at
     user semantic actions for why this is necessary.  */
  yytoken = yychar == TEXT_EMPTY ? YYSYMBOL_YYEMPTY : YYTRANSLATE (yychar);
  /* If not already recovering from an error, report this error.  */
  if (!yyerrstatus)
    {
      ++yynerrs;
      {
        yypcontext_t yyctx
          = {yyssp, yytoken, &yylloc};
        if (yyreport_syntax_error (&yyctx, scanner, p) == 2)
          YYNOMEM;
      }
    }

  yyerror_range[1] = yylloc;
  if (yyerrstatus == 3)
    {
      /* If just tried and failed to reuse lookahead token after an
         error, discard it.  */

      if (yychar <= END)
        {
          /* Return failure if at end of input.  */
          if (yychar == END)
            YYABORT;
        }
      else
        {
          yydestruct ("Error: discarding",
                      yytoken, &yylval, &yylloc, scanner, p);
          yychar = TEXT_EMPTY;
        }
    }

  /* Else will try to reuse lookahead token after shifting the error
     token.  */
  goto yyerrlab1;


/*---------------------------------------------------.
| yyerrorlab -- error raised explicitly by YYERROR.  |
`---------------------------------------------------*/
yyerrorlab:
  /* Pacify compilers when the user code never invokes YYERROR and the
     label yyerrorlab therefore never appears in user code.  */
  if (0)
    YYERROR;
  ++yynerrs;

  /* Do not reclaim the symbols of the rule whose action triggered
     this YYERROR.  */
  YYPOPSTACK (yylen);
  yylen = 0;
  YY_STACK_PRINT (yyss, yyssp);
  yystate = *yyssp;
  goto yyerrlab1;


/*-------------------------------------------------------------.
| yyerrlab1 -- common code for both syntax error and YYERROR.  |
`-------------------------------------------------------------*/
yyerrlab1:
  yyerrstatus = 3;      /* Each real token shifted decrements this.  */

  /* Pop stack until we find a state that shifts the error token.  */
  for (;;)
    {
      yyn = yypact[yystate];
      if (!yypact_value_is_default (yyn))
        {
          yyn += YYSYMBOL_YYerror;
          if (0 <= yyn && yyn <= YYLAST && yycheck[yyn] == YYSYMBOL_YYerror)
            {
              yyn = yytable[yyn];
              if (0 < yyn)
                break;
            }
        }

      /* Pop the current state because it cannot handle the error token.  */
      if (yyssp == yyss)
        YYABORT;

      yyerror_range[1] = *yylsp;
      yydestruct ("Error: popping",
                  YY_ACCESSING_SYMBOL (yystate), yyvsp, yylsp, scanner, p);
      YYPOPSTACK (1);
      yystate = *yyssp;
      YY_STACK_PRINT (yyss, yyssp);
    }

  YY_IGNORE_MAYBE_UNINITIALIZED_BEGIN
  *++yyvsp = yylval;
  YY_IGNORE_MAYBE_UNINITIALIZED_END

  yyerror_range[2] = yylloc;
  ++yylsp;
  YYLLOC_DEFAULT (*yylsp, yyerror_range, 2);

  /* Shift the error token.  */
  YY_SYMBOL_PRINT ("Shifting", YY_ACCESSING_SYMBOL (yyn), yyvsp, yylsp);

  yystate = yyn;
  goto yynewstate;


/*-------------------------------------.
| yyacceptlab -- YYACCEPT comes here.  |
`-------------------------------------*/
yyacceptlab:
  yyresult = 0;
  goto yyreturnlab;


/*-----------------------------------.
| yyabortlab -- YYABORT comes here.  |
`-----------------------------------*/
yyabortlab:
  yyresult = 1;
  goto yyreturnlab;


/*-----------------------------------------------------------.
| yyexhaustedlab -- YYNOMEM (memory exhaustion) comes here.  |
`-----------------------------------------------------------*/
yyexhaustedlab:
  yyerror (&yylloc, scanner, p, YY_("memory exhausted"));
  yyresult = 2;
  goto yyreturnlab;


/*----------------------------------------------------------.
| yyreturnlab -- parsing is finished, clean up and return.  |
`----------------------------------------------------------*/
yyreturnlab:
  if (yychar != TEXT_EMPTY)
    {
      /* Make sure we have latest lookahead translation.  See comments at
         user semantic actions for why this is necessary.  */
      yytoken = YYTRANSLATE (yychar);
      yydestruct ("Cleanup: discarding lookahead",
                  yytoken, &yylval, &yylloc, scanner, p);
    }
  /* Do not reclaim the symbols of the rule whose action triggered
     this YYABORT or YYACCEPT.  */
  YYPOPSTACK (yylen);
  YY_STACK_PRINT (yyss, yyssp);
  while (yyssp != yyss)
    {
      yydestruct ("Cleanup: popping",
                  YY_ACCESSING_SYMBOL (+*yyssp), yyvsp, yylsp, scanner, p);
      YYPOPSTACK (1);
    }
#ifndef yyoverflow
  if (yyss != yyssa)
    YYSTACK_FREE (yyss);
#endif

  return yyresult;
}

#line 293 "frontend/text.y"


enum { SHOWN = 5 };                  /* expected tokens that a message names */

static int yyreport_syntax_error(const yypcontext_t *at, void *scanner, Parser *p)
{
    yysymbol_kind_t expected[SHOWN];
    char text[200] = "";
    size_t n = 0;
    int count = yypcontext_expected_tokens(at, expected, SHOWN);
    (void)scanner;
    for (int i = 0; i < count && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i == 0 ? "" : i < count - 1 ? ", " : " or ",
                              yysymbol_name(expected[i]));
    text_unexpected(p, *yypcontext_location(at), yypcontext_token(at) == YYSYMBOL_YYEOF, text);
    return 0;
}

static void yyerror(const Spot *s, void *scanner, Parser *p, const char *message)
{
    (void)scanner;
    fatal(p->c, spot_loc(p, *s), "%s", message);     /* bison's stack is full */
}
