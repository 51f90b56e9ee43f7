/* Writing a tree as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "data/schema/yaml.h"

static int write_text(void *stream, unsigned char *buffer, size_t size) {
  return fwrite(buffer, 1, size, stream) == size;
}

static bool is_flat(const struct cairn_node *node) {
  for (size_t i = 0; i < node->n; i++)
    if (node->child[i]->kind != CAIRN_NODE_SCALAR)
      return false;
  return true;
}

/* Words and numbers, which mean the same without quotes wherever they stand. */
static bool is_plain(const char *text) {
  static const char plain[] = "+-._/ abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const char *letters = plain + 6; /* and digits */
  const size_t length = strlen(text);
  return strspn(text, plain) == length && strpbrk(text, letters) && text[0] != ' ' && text[length - 1] != ' ' &&
         strncmp(text, "- ", 2) != 0 && strncmp(text, "---", 3) != 0 && strncmp(text, "...", 3) != 0;
}

/* Everything else is quoted, so that it is the same text when it is read again. */
static int emit_scalar(yaml_emitter_t *emitter, const char *text, bool was_quoted) {
  const bool quoted = was_quoted || !is_plain(text);
  yaml_event_t event;
  return yaml_scalar_event_initialize(&event, NULL, NULL, (const unsigned char *)text, (int)strlen(text), !quoted, 1,
                                      quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_ANY_SCALAR_STYLE) &&
         yaml_emitter_emit(emitter, &event);
}

/* Depth is limited when the tree is read, twice the limit with overrides, so recursion is safe here. */
static int emit_node(yaml_emitter_t *emitter, const struct cairn_node *node) {
  yaml_event_t event;
  if (node->kind == CAIRN_NODE_SCALAR)
    return emit_scalar(emitter, node->text, node->quoted);
  bool list = node->kind == CAIRN_NODE_LIST;
  int good = list ? yaml_sequence_start_event_initialize(
                        &event, NULL, NULL, 1, is_flat(node) ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE)
                  : yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE);
  good = good && yaml_emitter_emit(emitter, &event);
  for (size_t i = 0; good && i < node->n; i++)
    good = (list || emit_scalar(emitter, node->child[i]->key, false)) && emit_node(emitter, node->child[i]);
  good = good && (list ? yaml_sequence_end_event_initialize(&event) : yaml_mapping_end_event_initialize(&event));
  return good && yaml_emitter_emit(emitter, &event);
}

static int emit_document(yaml_emitter_t *emitter, const struct cairn_node *root) {
  yaml_event_t event;
  return yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) && yaml_emitter_emit(emitter, &event) &&
         yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) && yaml_emitter_emit(emitter, &event) &&
         emit_node(emitter, root) && yaml_document_end_event_initialize(&event, 1) &&
         yaml_emitter_emit(emitter, &event) && yaml_stream_end_event_initialize(&event) &&
         yaml_emitter_emit(emitter, &event);
}

char *cairn_yaml_emit(const struct cairn_node *root) {
  char *text = NULL;
  size_t length = 0;
  yaml_emitter_t emitter;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return NULL;
  int good = yaml_emitter_initialize(&emitter);
  if (good) {
    yaml_emitter_set_output(&emitter, write_text, stream);
    yaml_emitter_set_unicode(&emitter, 1);
    yaml_emitter_set_width(&emitter, -1);
    good = emit_document(&emitter, root);
    yaml_emitter_delete(&emitter);
  }
  if (fclose(stream) != 0 || !good) {
    free(text);
    return NULL;
  }
  return text;
}
