/**
 * Makes a diagram, and a plan of the pools' memory, from a recorded stage graph.
 *
 * <pre>
 *   StageGraph --StageDiagram--&gt; Mermaid, DOT
 *        |
 *        +--Lifetimes--&gt; Model --PlanSolver--&gt; Plan
 * </pre>
 *
 * <p>Source: the Stingy Allocator, sections 3.1, 4.2.2 and 4.2.3; SPEC D1 and D5.
 */
@NullMarked
package dev.mely.examples.stingy;

import org.jspecify.annotations.NullMarked;
