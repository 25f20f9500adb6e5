import { connect, type Socket } from "node:net";

/** A connection of a client that sends what it likes. */
export class Wire {
  readonly socket: Socket;
  #received = "";

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#received += text;
    });
    socket.on("error", () => undefined);
  }

  static async to(port: number): Promise<Wire> {
    const socket = connect(port, "127.0.0.1");
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new Wire(socket);
  }

  get received(): string {
    return this.#received;
  }

  /** The status lines that came. */
  get statuses(): number[] {
    return [...this.#received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  send(text: string): this {
    this.socket.write(text, "latin1");
    return this;
  }

  /** Sends byte by byte, each in a segment of its own as far as that can be had. */
  async trickle(text: string): Promise<void> {
    this.socket.setNoDelay(true);
    for (const byte of text) {
      this.socket.write(byte, "latin1");
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Waits until something holds of what came. */
  async until(holds: (wire: this) => boolean): Promise<this> {
    const deadline = Date.now() + 60_000;
    while (!holds(this)) {
      if (Date.now() > deadline) throw new Error(`it did not come; there is ${JSON.stringify(this.#received)}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return this;
  }

  answers(count: number): Promise<this> {
    return this.until(({ statuses }) => statuses.length >= count);
  }

  async closed(): Promise<this> {
    return this.until(({ socket }) => socket.closed || socket.destroyed || socket.readableEnded);
  }
}
