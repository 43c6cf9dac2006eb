#include "verb/locals.h"

#include "base/memory.h"
#include "base/path.h"
#include "verb/source_excerpt.h"
#include "verb/source_names.h"

#include <string.h>
#include <strings.h>

#define MOST_RECORDS 8      /* functions remembered */
#define MOST_WAS_BYTES 40   /* an earlier value longer than this is not told */
#define MOST_KEPT_BYTES 200 /* of one that was cut, kept to be compared */

/* One variable at one stop. */
struct locals_entry {
    uint64_t key;      /* of its scope's and its own name */
    size_t occurrence; /* among those of the same key: names need not be unique */
    size_t namesakes;  /* those of the same key */
    uint64_t value;    /* checksum of value and type */
    struct adapter_text was;
};

struct locals_record {
    char *function, *path;
    struct locals_entry *entries; /* sorted by key and occurrence */
    size_t count;
};

/* A variable of a scope that counts, while it is looked at. */
struct candidate {
    const struct variable *variable;
    const struct scope *scope;
    size_t order; /* the adapter's */
    size_t depth; /* of its scope: the lowest is the innermost */
    uint64_t key;
    size_t occurrence, namesakes;
    bool shadowed;
};

/* FNV-1a over words: values can be megabytes, at every stop. */
static uint64_t checksum(uint64_t from, const char *bytes, size_t len)
{
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t hash = from;
    uint64_t word;
    size_t i = 0;
    for (; len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, bytes + i, sizeof(word));
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32; /* the upper bytes of a word reach only the upper bits otherwise */
    }
    for (; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * prime;
    return (hash ^ len) * prime;
}

#define CHECKSUM_START UINT64_C(0xcbf29ce484222325)

static uint64_t text_checksum(uint64_t from, const struct adapter_text *text)
{
    return checksum(from, text->data ? text->data : "", text->len);
}

/* ---- scopes ---- */

static bool begins_with(const char *text, const char *prefix)
{
    return text && strncasecmp(text, prefix, strlen(prefix)) == 0;
}

bool locals_scope_counts(const struct scope *scope)
{
    static const char *const others[] = { "register", "global", "static", "superglobal", "special", "user defined constant" };
    if (scope->hint && (strcmp(scope->hint, "locals") == 0 || strcmp(scope->hint, "arguments") == 0))
        return true;
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (begins_with(scope->hint, others[i]) || begins_with(scope->name, others[i]))
            return false;
    }
    return true;
}

static bool is_read(const struct scope *scope)
{
    return scope->expanded && locals_scope_counts(scope);
}

static bool holds_arguments(const struct scope *scope)
{
    return begins_with(scope->name, "argument");
}

static bool holds_locals(const struct scope *scope)
{
    return begins_with(scope->name, "local") || (scope->hint && strcmp(scope->hint, "locals") == 0);
}

/* Adapters list inner scopes first, but arguments before the locals that may shadow them. */
static size_t scope_depth(const struct scope *scopes, size_t count, size_t index)
{
    size_t depth = 2 * index;
    if (!holds_arguments(&scopes[index]))
        return depth;
    for (size_t i = index + 1; i < count; i++) {
        if (holds_locals(&scopes[i]))
            depth = 2 * i + 1;
    }
    return depth;
}

/* ---- candidates ---- */

static int compare_candidate_keys(const void *a, const void *b)
{
    const struct candidate *one = *(const struct candidate *const *)a;
    const struct candidate *other = *(const struct candidate *const *)b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->order < other->order ? -1 : one->order > other->order;
}

static int compare_names(const struct candidate *one, const struct candidate *other)
{
    const struct adapter_text *a = &one->variable->name;
    const struct adapter_text *b = &other->variable->name;
    if (a->len != b->len)
        return a->len < b->len ? -1 : 1;
    return a->len == 0 ? 0 : memcmp(a->data, b->data, a->len);
}

static int compare_candidate_names(const void *a, const void *b)
{
    const struct candidate *one = *(const struct candidate *const *)a;
    const struct candidate *other = *(const struct candidate *const *)b;
    int by_name = compare_names(one, other);
    if (by_name != 0)
        return by_name;
    return one->depth < other->depth ? -1 : one->depth > other->depth;
}

static void number_occurrences(struct candidate **sorted, size_t count)
{
    qsort(sorted, count, sizeof(*sorted), compare_candidate_keys);
    for (size_t i = 1; i < count; i++) {
        if (sorted[i]->key == sorted[i - 1]->key)
            sorted[i]->occurrence = sorted[i - 1]->occurrence + 1;
    }
    for (size_t i = count; i-- > 0;) {
        bool last = i + 1 == count || sorted[i + 1]->key != sorted[i]->key;
        sorted[i]->namesakes = last ? sorted[i]->occurrence + 1 : sorted[i + 1]->namesakes;
    }
}

/* gdb and LLDB tell variables of one name, of blocks within one another, apart as "e #2" and "e @ lru.c:65", as long as there are several. */
static struct adapter_text plain_name(const struct adapter_text *name)
{
    struct adapter_text plain = *name;
    const char *at = name->len > 0 ? memmem(name->data, name->len, " @ ", 3) : NULL;
    if (at != NULL)
        plain.len = (size_t)(at - name->data);
    size_t digits = 0;
    while (digits < plain.len && plain.data[plain.len - 1 - digits] >= '0' && plain.data[plain.len - 1 - digits] <= '9')
        digits++;
    if (digits > 0 && plain.len > digits + 2 && memcmp(plain.data + plain.len - digits - 2, " #", 2) == 0)
        plain.len -= digits + 2;
    return plain;
}

/* Within one scope, variables of the same name are all kept: only the adapter knows which is which. */
static void find_shadowed(struct candidate **sorted, size_t count)
{
    qsort(sorted, count, sizeof(*sorted), compare_candidate_names);
    size_t innermost = 0;
    for (size_t i = 1; i < count; i++) {
        if (compare_names(sorted[i], sorted[innermost]) != 0)
            innermost = i;
        sorted[i]->shadowed = sorted[i]->depth > sorted[innermost]->depth;
    }
}

static void add_scope(struct candidate *candidates, size_t *count, const struct scope *scope, size_t depth)
{
    uint64_t scope_key = checksum(CHECKSUM_START, scope->name ? scope->name : "", scope->name ? strlen(scope->name) : 0);
    for (size_t i = 0; i < scope->count; i++) {
        const struct variable *variable = &scope->variables[i];
        struct adapter_text name = plain_name(&variable->name);
        candidates[*count] = (struct candidate){
            .variable = variable,
            .scope = scope,
            .order = *count,
            .depth = depth,
            .key = text_checksum(scope_key, &name),
        };
        (*count)++;
    }
}

static size_t collect(const struct scope *scopes, size_t scope_count, struct candidate **ret)
{
    size_t most = 0;
    for (size_t i = 0; i < scope_count; i++)
        most += is_read(&scopes[i]) ? scopes[i].count : 0;
    *ret = NULL;
    if (most == 0)
        return 0;
    struct candidate *candidates = xcalloc(most, sizeof(*candidates));
    size_t count = 0;
    for (size_t i = 0; i < scope_count; i++) {
        if (is_read(&scopes[i]))
            add_scope(candidates, &count, &scopes[i], scope_depth(scopes, scope_count, i));
    }
    AUTO_FREE struct candidate **sorted = xcalloc(count, sizeof(struct candidate *));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &candidates[i];
    find_shadowed(sorted, count);
    number_occurrences(sorted, count);
    *ret = candidates;
    return count;
}

/* ---- memory ---- */

static const char *frame_path(const struct frame *frame)
{
    if (frame->source_path)
        return frame->source_path;
    return frame->source_name ? frame->source_name : "";
}

static const struct locals_record *find_record(const struct locals_memory *memory, const struct frame *frame)
{
    if (!memory || !frame || !frame->name)
        return NULL;
    for (size_t i = 0; i < memory->count; i++) {
        const struct locals_record *record = &memory->records[i];
        if (strcmp(record->function, frame->name) == 0 && strcmp(record->path, frame_path(frame)) == 0)
            return record;
    }
    return NULL;
}

static void record_done(struct locals_record *record)
{
    for (size_t i = 0; i < record->count; i++)
        free(record->entries[i].was.data);
    free(record->entries);
    free(record->function);
    free(record->path);
}

static void remove_record(struct locals_memory *memory, size_t index)
{
    record_done(&memory->records[index]);
    memory->count--;
    memmove(&memory->records[index], &memory->records[index + 1], (memory->count - index) * sizeof(*memory->records));
}

static uint64_t value_checksum(const struct variable *variable)
{
    return text_checksum(text_checksum(CHECKSUM_START, &variable->value), &variable->type);
}

static int compare_entries(const void *a, const void *b)
{
    const struct locals_entry *one = a;
    const struct locals_entry *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->occurrence < other->occurrence ? -1 : one->occurrence > other->occurrence;
}

/* codelldb's text of a value ends where its time for it is over, sooner or later: {"a", ...} at one stop, {"a", "bb", ...} at the next. */
static size_t cut_at(const struct adapter_text *value)
{
    static const char cut[] = "...}";
    bool is_cut = value->len > strlen(cut) && memcmp(value->data + value->len - strlen(cut), cut, strlen(cut)) == 0;
    return value->len - (is_cut ? strlen(cut) : 0);
}

static bool is_cut(const struct adapter_text *value)
{
    return cut_at(value) < value->len;
}

/* As far as both are told: what was left out may be anything, and is no change. */
static bool agree(const struct adapter_text *one, const struct adapter_text *other)
{
    size_t one_len = cut_at(one), other_len = cut_at(other);
    bool may = one_len < other_len ? is_cut(one) : one_len > other_len ? is_cut(other) : true;
    return may && (is_cut(one) || is_cut(other)) && memcmp(one->data, other->data, one_len < other_len ? one_len : other_len) == 0;
}

static struct locals_entry make_entry(const struct candidate *candidate)
{
    const struct adapter_text *value = &candidate->variable->value;
    struct locals_entry entry = {
        .key = candidate->key,
        .occurrence = candidate->occurrence,
        .namesakes = candidate->namesakes,
        .value = value_checksum(candidate->variable),
    };
    if (value->data && value->len > 0 && value->len <= MOST_KEPT_BYTES) {
        entry.was.data = xmalloc(value->len + 1);
        memcpy(entry.was.data, value->data, value->len);
        entry.was.data[value->len] = '\0';
        entry.was.len = value->len;
    }
    return entry;
}

static struct locals_record make_record(const struct frame *frame, const struct candidate *candidates, size_t count)
{
    struct locals_record record = { .function = xstrdup(frame->name), .path = xstrdup(frame_path(frame)) };
    record.entries = xcalloc(count > 0 ? count : 1, sizeof(*record.entries));
    record.count = count;
    for (size_t i = 0; i < count; i++)
        record.entries[i] = make_entry(&candidates[i]);
    qsort(record.entries, count, sizeof(*record.entries), compare_entries);
    return record;
}

void locals_memory_take(struct locals_memory *memory, const struct frame *frame, const struct scope *scopes, size_t scope_count)
{
    bool any_read = false;
    for (size_t i = 0; i < scope_count; i++)
        any_read = any_read || is_read(&scopes[i]);
    if (!frame || !frame->name || !any_read) /* a stop whose variables were not read says nothing about them */
        return;
    const struct locals_record *known = find_record(memory, frame);
    if (known)
        remove_record(memory, (size_t)(known - memory->records));
    else if (memory->count == MOST_RECORDS)
        remove_record(memory, MOST_RECORDS - 1);
    if (!memory->records)
        memory->records = xcalloc(MOST_RECORDS, sizeof(*memory->records));
    AUTO_FREE struct candidate *candidates = NULL;
    size_t count = collect(scopes, scope_count, &candidates);
    memmove(&memory->records[1], &memory->records[0], memory->count * sizeof(*memory->records));
    memory->records[0] = make_record(frame, candidates, count);
    memory->count++;
}

void locals_memory_done(struct locals_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        record_done(&memory->records[i]);
    free(memory->records);
    *memory = (struct locals_memory){ 0 };
}

/* ---- ranking ---- */

static bool record_has(const struct locals_record *record, uint64_t key)
{
    struct locals_entry first = { .key = key };
    return record->count > 0 && bsearch(&first, record->entries, record->count, sizeof(first), compare_entries) != NULL;
}

static void mark_change(struct ranked_local *local, const struct candidate *candidate, const struct locals_record *record)
{
    if (!record || local->variable->group)
        return;
    struct locals_entry wanted = { .key = candidate->key, .occurrence = candidate->occurrence };
    const struct locals_entry *entry = NULL;
    if (record->count > 0)
        entry = bsearch(&wanted, record->entries, record->count, sizeof(wanted), compare_entries);
    /* One block more or less: which of them this is, nobody knows. */
    if (entry ? entry->namesakes != candidate->namesakes : candidate->namesakes > 1 && record_has(record, candidate->key))
        return;
    local->is_new = !entry;
    local->changed = !entry || entry->value != value_checksum(local->variable);
    if (!entry || !local->changed || !entry->was.data)
        return;
    local->changed = !agree(&entry->was, &local->variable->value);
    if (local->changed && entry->was.len <= MOST_WAS_BYTES)
        local->was = &entry->was;
}

/* What the call just left returned: adapters show it as a scope or as a variable "(return) f". */
static bool is_return_value(const struct ranked_local *local)
{
    const struct scope *scope = local->scope;
    return (scope->hint && strcmp(scope->hint, "returnValue") == 0) || begins_with(local->variable->name.data, "(return)");
}

static bool is_definition(const struct variable *variable)
{
    static const char *const types[] = { "function", "Function", "AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction",
                                         "type",     "module" };
    for (size_t i = 0; variable->type.data != NULL && i < COUNT_OF(types); i++)
        if (variable->type.len == strlen(types[i]) && memcmp(variable->type.data, types[i], variable->type.len) == 0)
            return true;
    return false;
}

static void give_rank(struct ranked_local *local, const struct source_names *names)
{
    const struct adapter_text *name = &local->variable->name;
    bool named = is_return_value(local) || (name->data && source_names_have(names, name->data, name->len));
    if (named && !local->variable->group)
        local->rank = LOCAL_NAMED;
    else if (is_definition(local->variable))
        local->rank = LOCAL_DEFINED;
    else
        local->rank = local->changed ? LOCAL_CHANGED : LOCAL_REST;
}

static void read_names(struct source_names *names, const struct source_excerpt *excerpt, int64_t line, const struct frame *frame)
{
    source_names_init(names);
    if (!excerpt)
        return;
    const char *extension = frame ? path_extension(frame_path(frame)) : "";
    for (int64_t number = line - 1; number <= line; number++) {
        const char *text = source_excerpt_line(excerpt, number);
        if (text)
            source_names_read(names, text, extension);
    }
}

/* In order of rank, and in the adapter's order within a rank. */
static void sort_ranked(struct ranked_local *locals, size_t count)
{
    AUTO_FREE struct ranked_local *sorted = xcalloc(count, sizeof(*sorted));
    size_t done = 0;
    for (int group = 0; group <= 1; group++) {
        for (enum local_rank rank = LOCAL_NAMED; rank <= LOCAL_DEFINED; rank++) {
            for (size_t i = 0; i < count; i++) {
                if (locals[i].rank == rank && locals[i].variable->group == (group == 1))
                    sorted[done++] = locals[i];
            }
        }
    }
    memcpy(locals, sorted, count * sizeof(*locals));
}

size_t locals_rank(const struct scope *scopes, size_t scope_count, const struct source_excerpt *excerpt, int64_t line,
                   const struct locals_memory *before, const struct frame *frame, struct ranked_local **ret)
{
    *ret = NULL;
    AUTO_FREE struct candidate *candidates = NULL;
    size_t candidate_count = collect(scopes, scope_count, &candidates);
    if (candidate_count == 0)
        return 0;
    const struct locals_record *record = find_record(before, frame);
    struct source_names names;
    read_names(&names, excerpt, line, frame);
    struct ranked_local *locals = xcalloc(candidate_count, sizeof(*locals));
    size_t count = 0;
    for (size_t i = 0; i < candidate_count; i++) {
        if (candidates[i].shadowed)
            continue;
        struct ranked_local *local = &locals[count++];
        *local = (struct ranked_local){ .variable = candidates[i].variable, .scope = candidates[i].scope };
        mark_change(local, &candidates[i], record);
        give_rank(local, &names);
    }
    source_names_done(&names);
    sort_ranked(locals, count);
    *ret = locals;
    return count;
}
