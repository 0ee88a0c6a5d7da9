/**
 * How a runtime records the stages of {@link dev.mely.stage}. Internal: not exported, and no part
 * of the API.
 */
@NullMarked
package dev.mely.stage.recorder;

import org.jspecify.annotations.NullMarked;
