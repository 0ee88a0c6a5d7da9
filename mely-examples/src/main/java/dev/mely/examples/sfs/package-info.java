/**
 * SFS, the secure file server of both papers, and its client, on {@code dev.mely.nio}.
 *
 * <p>It is colored as libasync-smp's was (USENIX 2003, section 5.3): all state that clients share
 * (open files, leases, connections) belongs to the default color, as in an uncolored program; only
 * encryption and decryption run in a color of the client. For that, sending is split into three
 * handlers and receiving into two, in {@code SecureConnection}:
 *
 * <table>
 *   <caption>The handlers, their colors, and what they do</caption>
 *   <tr><th>Handler</th><th>Color</th><th>Does</th></tr>
 *   <tr><td>ACCEPT</td><td>its own</td><td>takes a connection from the listener</td></tr>
 *   <tr><td>ADMIT</td><td>default</td><td>checks the limit, makes its color</td></tr>
 *   <tr><td>RECEIVE</td><td>client</td><td>reads the socket, decrypts; handshakes</td></tr>
 *   <tr><td>PROCESS</td><td>default, urgent</td><td>handles the decrypted messages</td></tr>
 *   <tr><td>DONE</td><td>default</td><td>takes the result of a file operation; leases</td></tr>
 *   <tr><td>GATHER</td><td>default</td><td>moves messages into a batch of the client</td></tr>
 *   <tr><td>ENCRYPT</td><td>client</td><td>encrypts the batch</td></tr>
 *   <tr><td>WRITE</td><td>default</td><td>writes it to the socket</td></tr>
 *   <tr><td>WRITABLE</td><td>default</td><td>continues when the socket is writable</td></tr>
 *   <tr><td>TICK</td><td>default</td><td>ends idle and stalled connections, old leases</td></tr>
 * </table>
 *
 * <p>Files are read and written by the helper threads of {@code Nio.call}, as SFS left them to the
 * kernel's NFS server. {@code mely-examples/sfs.md} has the wire format; {@code ServedFolder} keeps
 * every path inside the served folder. Sources: N. Zeldovich et al., USENIX 2003, section 5.3; F.
 * Gaud et al., ICDCS 2010, section V-C; D. Mazières et al., SOSP 1999 (self-certifying paths).
 */
@NullMarked
package dev.mely.examples.sfs;

import org.jspecify.annotations.NullMarked;
