#include "cli/doctor_json.h"

#include "adapter/catalog.h"
#include "adapter/install_hint.h"
#include "base/memory.h"
#include "cli/examination.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

const char *doctor_state_word(const struct examination *examination)
{
    static const char *const words[] = {
        [FINDING_WORKS] = "works", [FINDING_FAILS] = "fails", [FINDING_UNUSABLE] = "unusable", [FINDING_MISSING] = "missing"
    };
    return words[examination->finding];
}

yyjson_mut_val *doctor_json_lines(yyjson_mut_doc *doc, const char *text)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    for (const char *line = text; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        yyjson_mut_arr_append(list, json_new_string(doc, line, len));
        line += len;
        line += *line == '\n';
    }
    return list;
}

yyjson_mut_val *doctor_json_adapter(yyjson_mut_doc *doc, const struct examination *examination)
{
    const char *tested_with = adapter_entry_tested_with(examination->entry);
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_string(doc, object, "id", adapter_entry_id(examination->entry));
    json_add_string(doc, object, "programs", adapter_entry_debugs(examination->entry));
    json_add_string(doc, object, "support", tested_with != NULL ? "tested" : "experimental");
    json_add_string(doc, object, "tested_with", tested_with);
    json_add_string(doc, object, "state", doctor_state_word(examination));
    json_add_string(doc, object, "version", examination->version);
    json_add_string(doc, object, "path", examination->found.path);
    json_add_string(doc, object, "interpreter", examination->found.interpreter);
    if (examination->finding == FINDING_WORKS)
        json_add_int(doc, object, "answer_ms", (int64_t)examination->answer_ms);
    json_add_string(doc, object, "reason", examination->error != NULL ? examination->error : examination->fault);
    if (examination->finding == FINDING_FAILS)
        json_add_value(doc, object, "stderr", doctor_json_lines(doc, examination->said));
    if (examination->finding != FINDING_WORKS)
        json_add_string(doc, object, "install", install_hint(examination->entry));
    return object;
}

void doctor_json_print(yyjson_mut_doc *doc)
{
    AUTO_FREE char *text = json_write_pretty(doc, NULL);
    puts(text);
    yyjson_mut_doc_free(doc);
}
