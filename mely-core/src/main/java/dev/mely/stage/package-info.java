/**
 * Stages of a program as the runtime has seen them, and how much memory they may keep: the graph
 * that is recorded of handlers, and the plan that is made from it. It knows nothing of the runtime.
 *
 * <pre>
 *   handlers ---&gt; StageRecorder ---&gt; StageGraph ---&gt; (the example program "stingy plan")
 *                  one tape a core                                 |
 *                                                                  v
 *                                      pools of memory &lt;------- Plan
 * </pre>
 *
 * <p>Source: the Stingy Allocator, sections 3 and 4; SPEC D1 and D5.
 */
@NullMarked
package dev.mely.stage;

import org.jspecify.annotations.NullMarked;
