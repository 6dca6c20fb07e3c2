// The only functions that the Go side calls. One call parses a text and flattens its tree, so
// that no question about a single node crosses the border.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>
#include "language.h"
#include "subtree.h"
#include "tree.h"

const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_javascript(void);
const TSLanguage *tree_sitter_typescript(void);
const TSLanguage *tree_sitter_tsx(void);

#define EXPORT(name) __attribute__((export_name(#name)))
__attribute__((import_module("host"), import_name("stop"))) int host_stop(void);

enum { PYTHON, JAVASCRIPT, TYPESCRIPT, TSX };

static const TSLanguage *language(int id) {
  switch (id) {
  case PYTHON: return tree_sitter_python();
  case JAVASCRIPT: return tree_sitter_javascript();
  case TYPESCRIPT: return tree_sitter_typescript();
  default: return tree_sitter_tsx();
  }
}

// Address zero is ordinary memory here, so that an allocation that failed has to stop the machine.
static void *checked(void *p) {
  if (!p) __builtin_trap();
  return p;
}

EXPORT(alloc) void *alloc(uint32_t bytes) { return checked(malloc(bytes)); }
EXPORT(kind_count) uint32_t kind_count(int lang) { return ts_language_symbol_count(language(lang)); }
EXPORT(kind_name) const char *kind_name(int lang, uint32_t id) { return ts_language_symbol_name(language(lang), id); }
EXPORT(kind_named) int kind_named(int lang, uint32_t id) {
  return ts_language_symbol_type(language(lang), id) == TSSymbolTypeRegular;
}
EXPORT(field_count) uint32_t field_count(int lang) { return ts_language_field_count(language(lang)); }
EXPORT(field_name) const char *field_name(int lang, uint32_t id) {
  const char *name = ts_language_field_name_for_id(language(lang), id);
  return name ? name : "";
}

// What the Go side knows of a kind; parse.go has the same bits.
enum { CLOSED = 1, NAMED = 2, COMMENT = 4 };

// 20 bytes, as parse.go reads them.
typedef struct { uint16_t kind, field; uint32_t start, end; int32_t child, next; } Node;

static struct {
  Node *nodes;
  uint32_t node_count;
  uint32_t *errors; // where ERROR nodes begin
  uint32_t error_count;
  uint32_t broken;
} result;

// The parser copies what it reads and keeps every copy until it is done, so it gets pieces.
enum { PIECE = 16 << 10 };

typedef struct { const char *text; uint32_t len; int64_t questions, bytes; } Budget;

static const char *read_piece(void *payload, uint32_t at, TSPoint point, uint32_t *len) {
  Budget *b = payload;
  (void)point;
  if (at >= b->len || b->bytes < 0) {
    *len = 0;
    return "";
  }
  *len = b->len - at < PIECE ? b->len - at : PIECE;
  b->bytes -= *len;
  return b->text + at;
}

static bool spent(TSParseState *state) {
  Budget *b = state->payload;
  b->questions--;
  return b->questions < 0 || b->bytes < 0 || (b->questions % 256 == 0 && host_stop());
}

static TSTree *parse_text(int lang, Budget *budget) {
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, language(lang));
  TSInput input = {budget, read_piece, TSInputEncodingUTF8, NULL};
  TSParseOptions options = {budget, spent};
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  ts_parser_delete(parser);
  if (tree && budget->bytes < 0) {
    ts_tree_delete(tree);
    return NULL;
  }
  return tree;
}

static void append_error(uint32_t at) {
  uint32_t n = result.error_count;
  if ((n & (n - 1)) == 0) // grows at powers of two
    result.errors = checked(realloc(result.errors, (n ? 2 * n : 1) * sizeof *result.errors));
  result.errors[result.error_count++] = at;
}

static uint32_t node_room;

static void append_node(Node node) {
  if (result.node_count == node_room) {
    node_room *= 2;
    result.nodes = checked(realloc(result.nodes, node_room * sizeof(Node)));
  }
  result.nodes[result.node_count++] = node;
}

// copy_node appends a visible node if it is kept, and says whether its children matter.
static bool copy_node(uint32_t kind, uint32_t field, uint32_t start, uint32_t end, const uint8_t *flags, uint32_t kinds, bool *kept) {
  bool error = kind >= kinds; // ERROR has the symbol 65535
  *kept = false;
  if (error) {
    kind = field = 0; // "end", which is no node of a tree
    append_error(start);
  } else if (flags[kind] & NAMED) {
    if (flags[kind] & COMMENT) return false;
  } else if ((flags[kind] & CLOSED) || !field) {
    return false;
  }
  *kept = true;
  append_node((Node){kind, field, start, end, -1, -1});
  return error || ((flags[kind] & NAMED) && !(flags[kind] & CLOSED));
}

// A Level is a node whose children are being read, one after the other. A node that the grammar hides has a level of its
// own, and its children stand in the visible node above it, under the field of the hidden one where they have none.
typedef struct {
  const Subtree *next;
  uint32_t left, at; // children, and where the last one ended
  uint32_t structural; // children that are no extras, which are what productions count
  bool first, visible;
  TSFieldId inherited;
  const TSSymbol *aliases;
  const TSFieldMapEntry *fields, *fields_end;
} Level;

static struct { Level *levels; uint32_t count, room; } stack;

static void push_level(const TSLanguage *language, Subtree node, uint32_t start, bool visible, TSFieldId inherited) {
  if (stack.count == stack.room) {
    stack.room = stack.room ? 2 * stack.room : 256;
    stack.levels = checked(realloc(stack.levels, stack.room * sizeof(Level)));
  }
  Level *l = &stack.levels[stack.count++];
  *l = (Level){.next = ts_subtree_children(node), .left = node.ptr->child_count, .at = start, .first = true, .visible = visible,
    .inherited = inherited, .aliases = ts_language_alias_sequence(language, node.ptr->production_id)};
  ts_language_field_map(language, node.ptr->production_id, &l->fields, &l->fields_end);
}

static TSFieldId field_at(const Level *l) {
  for (const TSFieldMapEntry *f = l->fields; f < l->fields_end; f++)
    if (!f->inherited && f->child_index == l->structural) return f->field_id;
  return l->inherited;
}

enum { TOO_DEEP = 2 };

// copy_tree reads the tree as the parser keeps it, in one pass: a cursor of the public interface finds every node several
// times, once for each question about it.
static int copy_tree(const TSLanguage *language, Subtree root, const uint8_t *flags, uint32_t kinds, uint32_t max_depth) {
  int32_t *parents = checked(malloc((max_depth + 1) * sizeof *parents));
  int32_t *newest = checked(malloc((max_depth + 1) * sizeof *newest)); // child of each parent
  uint32_t depth = 0, start = ts_subtree_padding(root).bytes;
  int ok = 1;
  bool kept;
  memset(&stack, 0, sizeof stack);
  bool descend = copy_node(ts_language_public_symbol(language, ts_subtree_symbol(root)), 0, start,
    start + ts_subtree_size(root).bytes, flags, kinds, &kept);
  if (descend && ts_subtree_visible_child_count(root) > 0) {
    parents[depth] = 0;
    newest[depth++] = -1;
    push_level(language, root, start, true, 0);
  }
  while (stack.count) {
    Level *l = &stack.levels[stack.count - 1];
    if (!l->left) {
      depth -= l->visible;
      stack.count--;
      continue;
    }
    Subtree child = *l->next++;
    l->left--;
    if (!l->first) l->at += ts_subtree_padding(child).bytes;
    l->first = false;
    start = l->at;
    l->at += ts_subtree_size(child).bytes;
    TSSymbol alias = 0;
    TSFieldId field = 0;
    if (!ts_subtree_extra(child)) {
      if (l->aliases) alias = l->aliases[l->structural];
      field = field_at(l);
      l->structural++;
    }
    bool inner = ts_subtree_visible_child_count(child) > 0;
    if (!ts_subtree_visible(child) && !alias) {
      if (inner) push_level(language, child, start, false, field);
      continue;
    }
    descend = copy_node(ts_language_public_symbol(language, alias ? alias : ts_subtree_symbol(child)), field, start, l->at, flags, kinds, &kept);
    int32_t n = (int32_t)result.node_count - 1;
    if (kept) {
      if (newest[depth - 1] < 0)
        result.nodes[parents[depth - 1]].child = n;
      else
        result.nodes[newest[depth - 1]].next = n;
      newest[depth - 1] = n;
    }
    if (descend && inner) {
      if (depth >= max_depth) {
        ok = TOO_DEEP;
        break;
      }
      parents[depth] = n;
      newest[depth++] = -1;
      push_level(language, child, start, true, 0);
    }
  }
  free(stack.levels);
  free(parents);
  free(newest);
  return ok;
}

// parse returns 1 and fills result, 0 when the budget was spent, or TOO_DEEP. It frees the text;
// flags has a byte for each kind of the grammar.
EXPORT(parse) int parse(int lang, char *text, uint32_t len, const uint8_t *flags, uint32_t kinds, int64_t questions, int64_t bytes, uint32_t max_depth) {
  memset(&result, 0, sizeof result);
  Budget budget = {text, len, questions, bytes};
  TSTree *tree = parse_text(lang, &budget);
  free(text);
  if (!tree) return 0;
  result.broken = ts_subtree_error_cost(tree->root) > 0;
  node_room = len / 6 + 16;
  result.nodes = checked(malloc(node_room * sizeof(Node)));
  int ok = copy_tree(language(lang), tree->root, flags, kinds, max_depth);
  ts_tree_delete(tree);
  return ok;
}

EXPORT(result) void *get_result(void) { return &result; }

EXPORT(release) void release(void) {
  free(result.nodes);
  free(result.errors);
  memset(&result, 0, sizeof result);
}
