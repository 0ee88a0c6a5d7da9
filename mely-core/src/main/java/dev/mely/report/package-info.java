/** What a runtime reports: its statistics while it runs, and how its shutdown ended. */
@NullMarked
package dev.mely.report;

import org.jspecify.annotations.NullMarked;
