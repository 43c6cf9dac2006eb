/* A log for people who look into Dapple itself: stderr, off unless DAPPLE_LOG is set to error, info or debug. */
#pragma once

enum log_level { LOG_OFF = 0, LOG_ERROR, LOG_INFO, LOG_DEBUG };

void log_open(void); /* reads DAPPLE_LOG */
void log_choose(enum log_level level);
void log_limit(unsigned bytes); /* where stderr is a file: empties it when it is longer */
enum log_level log_level(void);
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_write(LOG_ERROR, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...)                         \
    do {                                       \
        if (log_level() >= LOG_DEBUG)          \
            log_write(LOG_DEBUG, __VA_ARGS__); \
    } while (0)
