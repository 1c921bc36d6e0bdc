import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

/** An event of the stream. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: Record<string, unknown>;
}

/** Long enough for a loaded machine. */
const DEADLINE_MS = 30_000;
const POLL_MS = 5;

const eventIn = (block: string): StreamedEvent[] => {
  const members = new Map(
    block.split('\n').map((line): [string, string] => {
      const mark = line.indexOf(': ');
      return [line.slice(0, mark), line.slice(mark + 2)];
    }),
  );
  const data = members.get('data');
  if (data === undefined) return [];
  return [
    {
      id: members.get('id'),
      name: members.get('event') ?? '',
      data: JSON.parse(data) as StreamedEvent['data'],
    },
  ];
};

/** A client of a stream of server-sent events. */
export class EventStream {
  /** Everything that was received. */
  text = '';
  /** Whether the connection is closed. */
  hasEnded = false;

  private read: StreamedEvent[] = [];
  private readTo = 0;

  private constructor(
    readonly status: number,
    readonly headers: IncomingMessage['headers'],
    private readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8').on('data', (part: string) => (this.text += part));
    response.on('close', () => (this.hasEnded = true));
    response.on('error', () => undefined);
  }

  /** Resolves when the head of the answer has come. @param key an API key. */
  static async open(
    url: string,
    key: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventStream> {
    const sent = request(url, { headers: { Authorization: `Bearer ${key}`, ...headers } });
    sent.on('error', () => undefined).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return new EventStream(response.statusCode ?? 0, response.headers, response);
  }

  /** The complete events, in order. */
  get events(): readonly StreamedEvent[] {
    const end = this.text.lastIndexOf('\n\n');
    if (end >= this.readTo) {
      const blocks = this.text.slice(this.readTo, end).split('\n\n');
      this.read = [...this.read, ...blocks.flatMap(eventIn)];
      this.readTo = end + 2;
    }
    return this.read;
  }

  /** The last id of the stream, for `Last-Event-ID`. */
  get lastId(): string {
    return [...this.text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '';
  }

  /** Resolves when the condition holds; fails with what was received. */
  async until(condition: (stream: EventStream) => boolean): Promise<void> {
    const deadlineMs = performance.now() + DEADLINE_MS;
    while (!condition(this)) {
      if (performance.now() > deadlineMs)
        throw new Error(`not in time: ${this.text.slice(-2_000)}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Resolves when there are so many events. */
  has(count: number): Promise<void> {
    return this.until(({ events }) => events.length >= count);
  }

  /** Reads nothing more, so that the server cannot send any more. */
  pause(): void {
    this.response.pause();
  }

  /** Reads on. */
  resume(): void {
    this.response.resume();
  }

  /** Closes the connection. */
  close(): void {
    this.response.destroy();
  }
}
