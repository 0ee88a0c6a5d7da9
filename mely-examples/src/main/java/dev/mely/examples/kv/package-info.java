/**
 * A key-value server that speaks the Redis protocol.
 *
 * <pre>
 *   connection: Session              partition 0..63: Partition         the log: AppendLog
 *     RequestReader                    Dictionary, Entry                  LogRecord, LogJob, LogFile
 *          |                                  ^
 *        Walk  ---------------- Place --------+-- Call -- Command
 *     one event, from color to color
 * </pre>
 *
 * <p>The keys are in {@link dev.mely.examples.kv.Partition partitions}, each a color. A command
 * asks for the colors of its keys; the commands of a connection are done one after the other by its
 * {@link dev.mely.examples.kv.Walk}, which goes from color to color.
 */
@NullMarked
package dev.mely.examples.kv;

import org.jspecify.annotations.NullMarked;
