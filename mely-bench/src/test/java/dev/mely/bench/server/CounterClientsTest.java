package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What clients of a counter take for a wrong answer. */
class CounterClientsTest {
  private static byte ask(FixedDialogue client) {
    ByteBuf request = Unpooled.buffer();
    client.ask(request);
    assertEquals(1, request.readableBytes());
    return request.readByte();
  }

  private static void answer(FixedDialogue client, long value) throws IOException {
    client.check(Unpooled.copyLong(value));
  }

  private static void refuse(FixedDialogue client, long value, String why) {
    IOException e = assertThrows(IOException.class, () -> answer(client, value));
    assertTrue(e.getMessage().contains(why), e::getMessage);
  }

  @Test
  void takesWhatACounterMayAnswer() throws IOException {
    CounterClients clients = new CounterClients(0);
    FixedDialogue one = clients.connect();
    FixedDialogue other = clients.connect();
    assertEquals(CounterHandler.INCREMENT, ask(one));
    assertEquals(CounterHandler.INCREMENT, ask(other));
    answer(other, 1); // whichever came first
    answer(one, 2);
    ask(one);
    answer(one, 3);
  }

  @Test
  void noticesAnIncrementThatIsLost() throws IOException {
    CounterClients clients = new CounterClients(0);
    FixedDialogue one = clients.connect();
    FixedDialogue other = clients.connect();
    ask(one);
    ask(other);
    answer(one, 1);
    refuse(other, 1, "two increments have returned 1");
  }

  @Test
  void noticesAValueOfThePast() throws IOException {
    CounterClients clients = new CounterClients(0);
    FixedDialogue client = clients.connect();
    ask(client);
    answer(client, 1);
    ask(client);
    refuse(client, 1, "the counter is 1, but should be between 2 and 2");
  }

  @Test
  void noticesAValueThatNobodyHasCounted() {
    CounterClients clients = new CounterClients(100);
    FixedDialogue client = clients.connect();
    assertEquals(CounterHandler.READ, ask(client));
    refuse(client, 1, "the counter is 1, but should be between 0 and 0");
  }

  @Test
  void mixesReadsAndIncrements() {
    CounterClients clients = new CounterClients(90);
    int reads = 0;
    for (int i = 0; i < 1_000; i++) {
      reads += ask(clients.connect()) == CounterHandler.READ ? 1 : 0;
    }
    assertEquals(900, reads, 50); // the same in each run
  }
}
