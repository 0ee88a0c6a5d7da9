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
 *   <tr><td>ParseRequest</td><td>connection</td><td>{@code RequestParser}</td></tr>
 *   <tr><td>CheckInCache</td><td>connection</td><td>{@code HttpFileHandler} over the immutable map
 *   of {@code PrebuiltResponses}</td></tr>
 *   <tr><td>WriteResponse</td><td>connection</td><td>{@code ResponseWriter}</td></tr>
 *   <tr><td>Close</td><td>connection</td><td>{@code LingeringClose}</td></tr>
 * </table>
 *
 * <p>What blocks an event loop, and what does not: small files are served from memory, built at
 * start-up; large ones go from the page cache to the socket by {@code sendfile}; directories are
 * listed, and changed files read again, by one background thread. The loop itself makes file
 * metadata calls only (a path's real location, size and time; opening and closing a file), which on
 * a local disk are answered from memory, and {@code sendfile} waits for the disk when a page is not
 * cached. A folder on a slow network mount is no place for this server.
 */
@NullMarked
package dev.mely.examples.sws;

import org.jspecify.annotations.NullMarked;
