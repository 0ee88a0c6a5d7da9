/**
 * A page that shows what the cores of a running server do, for its operators: Mely's own groups,
 * and Netty's. Its user sees {@link dev.mely.netty.monitor.MelyMonitor} alone.
 *
 * <pre>
 *   MelyMonitor                    what users hold
 *   MonitorServer, MonitorHandler  a port of its own; a path of another server
 *   Access, PageFiles, EventStream who may look, the page, what a browser receives once a second
 *   Sampler                        a thread, as long as anybody looks: ticks, then figures
 *   WatchedGroup                   a group that is looked at, of one of two kinds:
 *     MelyGroup                      samples what each core runs, and what waits
 *       Tallies                      which colors and handlers these were
 *     StockGroup                     Netty's own: its I/O handlers tell what they run
 *       WatchedIoHandler, WatchedHandle, LoopRecorder
 *   Figures, ... Json              what is told, and its text
 * </pre>
 *
 * <p>Each class knows only such as are below it.
 *
 * <p>The HTTP codec ({@code io.netty:netty-codec-http}) is an optional dependency.
 */
@NullMarked
package dev.mely.netty.monitor;

import org.jspecify.annotations.NullMarked;
