import type { Requests } from '../requests';

/** A load of events that contain the time at which they were sent. */
export interface StampedLoad {
  readonly path: string;
  /** The source's write key. */
  readonly key: string;
  readonly eventsPerRequest: number;
  /** Prefix of each message id; the event's number follows, in nine digits. */
  readonly prefix: string;
  /** Number of event names, used in turns: `E-000`, `E-001`, …; at most 1,000. */
  readonly names: number;
}

/** Digits of an event's number, its user and its name. */
const NUMBER = 9;
const USER = 3;
const NAME = 3;

const NO_TIME = '0000-00-00T00:00:00.000Z';
const FILLER = 'x'.repeat(480);

const eventOf = (messageId: string): string =>
  JSON.stringify({
    type: 'track',
    event: `E-${'0'.repeat(NAME)}`,
    anonymousId: `anonymous-${'0'.repeat(USER)}`,
    messageId,
    properties: {
      at: NO_TIME,
      order_id: 'o-1',
      total: 129.9,
      currency: 'EUR',
      items: 3,
      note: FILLER,
    },
    context: {
      library: { name: 'bench', version: '1.0.0' },
      locale: 'en-GB',
      timezone: 'Europe/Rome',
      page: { url: 'https://shop.example.com/checkout', path: '/checkout', title: 'Checkout' },
    },
    traits: { email: 'ada@example.com', plan: 'pro' },
  });

interface Places {
  readonly name: number;
  readonly user: number;
  readonly number: number;
  readonly at: number;
}

const digits = (number: number, length: number): string => String(number).padStart(length, '0');

/** Requests from one template: numbers, names, users (a thousand) and the time are written in place. */
export class StampedRequests implements Requests {
  private readonly template: Buffer;
  private readonly places: readonly Places[];

  constructor(private readonly load: StampedLoad) {
    const { path, key, eventsPerRequest, prefix } = load;
    const one = eventOf(`${prefix}${'0'.repeat(NUMBER)}`);
    const body =
      eventsPerRequest === 1
        ? one
        : `{"batch":[${Array.from({ length: eventsPerRequest }, () => one).join(',')}]}`;
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      '',
    ].join('\r\n');
    this.template = Buffer.from(head + body);
    this.places = this.findPlaces();
  }

  bytes(nth: number): Buffer {
    const { eventsPerRequest, names } = this.load;
    const copy = Buffer.from(this.template);
    const time = new Date().toISOString();
    this.places.forEach(({ name, user, number, at }, index) => {
      const event = nth * eventsPerRequest + index;
      copy.write(digits(event % names, NAME), name, 'latin1');
      copy.write(digits(event % 10 ** USER, USER), user, 'latin1');
      copy.write(digits(event, NUMBER), number, 'latin1');
      copy.write(time, at, 'latin1');
    });
    return copy;
  }

  private findPlaces(): Places[] {
    const { eventsPerRequest, prefix } = this.load;
    let from = 0;
    const behind = (text: string): number => {
      from = this.template.indexOf(text, from) + text.length;
      return from;
    };
    return Array.from({ length: eventsPerRequest }, () => ({
      name: behind('"event":"E-'),
      user: behind('"anonymousId":"anonymous-'),
      number: behind(`"messageId":"${prefix}`),
      at: behind('"at":"'),
    }));
  }
}
