package dev.mely.examples.demo;

import java.io.IOException;
import java.io.PrintWriter;

/**
 * The demo without its command line: the page, and the turns. One thread runs it; any may close.
 */
final class Demo implements AutoCloseable {
  private final WebServer web;
  private final Turns turns;

  /**
   * Opens the page's port.
   *
   * @param port 0: any that is free
   * @param cores event loops of each server at first
   * @param mostCores that pages may set
   * @param err is told of processes that end
   * @throws IOException if it cannot
   */
  Demo(int port, int cores, int mostCores, PrintWriter err) throws IOException {
    Board board = new Board(mostCores, Settings.first(cores));
    web = new WebServer(port, board);
    turns = new Turns(board, err);
  }

  int port() {
    return web.port();
  }

  /**
   * Measures while a page is open, until it is closed.
   *
   * @throws IOException if processes end again and again: why
   */
  void run() throws IOException, InterruptedException {
    turns.run();
  }

  /** Closes the port, and ends the processes. */
  @Override
  public void close() {
    web.close();
    turns.close();
  }
}
