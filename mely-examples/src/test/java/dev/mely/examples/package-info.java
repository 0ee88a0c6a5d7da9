/**
 * The tests of the examples, and what they are made of. A test checks that the classes named here
 * exist.
 *
 * <ul>
 *   <li>Here: {@code Programs} (runs a program of the system; starts a server with few
 *       descriptors), {@code Descriptors} (what a process has open), {@code Resolved} (the jars
 *       that Maven resolves for a consumer), {@code Mutations} (messages that are nearly right),
 *       {@code CommandLineAccess} (the command line, as a user has it).
 *   <li>{@code sws}: {@code Build} and {@code Transports} (the two builds of the web server, and
 *       what each test runs on), {@code RawClient} (sends byte for byte, reads responses one by
 *       one), {@code FileTree} (720 files of all sizes), {@code Folders} (a served folder that
 *       tells the test of each step), {@code HostileInput} (what must hold of each parser).
 *   <li>{@code sws.hostile}: {@code HostileClients} (attacks drawn from a seed), {@code Attack},
 *       {@code FramingTricks}, {@code Site}, {@code ServerProcess}, {@code Connection}.
 *   <li>{@code sfs}: {@code SfsSite} (a server with keys for two clients), {@code RawPeer}, {@code
 *       WatchedFolder}, {@code StrangeServer} (answers what the test says), {@code Between} (sees
 *       and changes records between client and server).
 *   <li>{@code proxy}: {@code WildOrigin} (does to each request what the test says), {@code
 *       HttpClient} (reads responses by rules of its own), {@code Proxies}.
 *   <li>{@code kv} and {@code service}: {@code RespClient}, {@code Kv} (colors that move at
 *       random), {@code Carrier} (what the small servers run on), {@code TextClient}.
 * </ul>
 */
package dev.mely.examples;
