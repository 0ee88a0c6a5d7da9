/**
 * SWS, the static web server of the Mely paper (section V-C), as a plain Netty service.
 *
 * <p>The paper splits the server in nine event handlers and gives each a color. Here a connection
 * is a channel, the channel is a color, and the handlers of its pipeline are the paper's:
 *
 * <table>
 *   <caption>The paper's handlers and the classes that stand for them</caption>
 *   <tr><th>Paper</th><th>Color</th><th>Here</th></tr>
 *   <tr><td>Epoll, RegisterFdInEpoll</td><td>0</td><td>the event loop group, made by {@code Loops}
 *   </td></tr>
 *   <tr><td>Accept, DecClientAccepted</td><td>1</td><td>the server channel and {@code ClientCap}
 *   </td></tr>
 *   <tr><td>ReadRequest</td><td>connection</td><td>{@code RequestDecoder}</td></tr>
 *   <tr><td>ParseRequest</td><td>connection</td><td>{@code RequestReader}</td></tr>
 *   <tr><td>CheckInCache</td><td>connection</td><td>{@code HttpFileHandler} over the immutable map
 *   of {@code PrebuiltResponses}</td></tr>
 *   <tr><td>WriteResponse</td><td>connection</td><td>{@code ResponseWriter}</td></tr>
 *   <tr><td>Close</td><td>connection</td><td>{@code LingeringClose}</td></tr>
 * </table>
 *
 * <p>{@link dev.mely.examples.sws.SwsCoreServer} is the same server without Netty, on {@code
 * dev.mely.nio}, with the paper's handlers and colors as they are. The code that both share knows
 * nothing of Netty: {@code RequestReader}, which reads with the classes of {@code
 * dev.mely.examples.http}, {@code RequestRules}, {@code Selection}, {@code Responses}, {@code
 * Answer}, {@code FileStore} and what it uses.
 *
 * <p>What blocks an event loop, and what does not: small files are served from memory, prebuilt at
 * start-up; large ones go from the page cache to the socket by {@code sendfile}. Separate threads
 * ({@code DiskThreads}) open files that are not in memory, list directories and read changed files
 * again, so that a slow disk, or a pipe in the place of a file, delays only the client that
 * requests it. The loop itself reads only the metadata of files in memory, once a second each,
 * which the kernel of a local disk has cached, and {@code sendfile} waits for the disk when a page
 * is not cached. Do not serve a folder on a slow network mount.
 *
 * <p>No file outside the folder is served, even if names change meanwhile: see {@code
 * ServedFolder}, and {@code SECURITY.md} for what is promised and what is not.
 */
@NullMarked
package dev.mely.examples.sws;

import org.jspecify.annotations.NullMarked;
