import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request that is written in pieces on a connection of its own, with its answer as received so far. */
export class RawRequest {
  private received = '';

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
  }

  /** @param head header lines besides `Host`. */
  static async begin(port: number, path: string, head: readonly string[]): Promise<RawRequest> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const request = new RawRequest(socket);
    request.write([`POST ${path} HTTP/1.1`, 'Host: localhost', ...head, '', ''].join('\r\n'));
    return request;
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Waits for the head of the answer. @returns its status. */
  async status(): Promise<number> {
    while (!this.received.includes('\r\n\r\n')) await once(this.socket, 'data');
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.received)?.[1]);
  }

  /** The answer as received so far. */
  get answer(): string {
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }
}
