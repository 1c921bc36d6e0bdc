import type { Requests } from './requests';

/** Number of digits of a message id's counter, after the prefix of the run. */
const DIGITS = 9;

const filler = 'x'.repeat(520);

const eventOf = (messageId: string): string =>
  JSON.stringify({
    type: 'track',
    event: 'Order Completed',
    anonymousId: `anonymous-${messageId.slice(-4)}`,
    messageId,
    timestamp: '2026-01-02T03:04:05.678Z',
    properties: { order_id: 'o-1', total: 129.9, currency: 'EUR', items: 3, note: filler },
    context: {
      library: { name: 'bench', version: '1.0.0' },
      locale: 'en-GB',
      timezone: 'Europe/Rome',
      page: { url: 'https://shop.example.com/checkout', path: '/checkout', title: 'Checkout' },
    },
    traits: { email: 'ada@example.com', plan: 'pro' },
  });

/**
 * Requests from one template: the message ids and anonymous ids are incremented in place. There are ten thousand
 * different anonymous ids.
 */
export class EventRequests implements Requests {
  private readonly template: Buffer;
  /** Offsets of the digits of each event's message id and anonymous id. */
  private readonly places: { readonly id: number; readonly key: number }[] = [];

  constructor(
    path: string,
    key: string,
    private readonly events: number,
    private readonly prefix: string,
  ) {
    const zero = '0'.repeat(DIGITS);
    const bodies = Array.from({ length: events }, () => eventOf(`${prefix}${zero}`));
    const body = events === 1 ? (bodies[0] ?? '') : `{"batch":[${bodies.join(',')}]}`;
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
    this.findPlaces(zero);
  }

  bytes(nth: number): Buffer {
    const copy = Buffer.from(this.template);
    const first = nth * this.events;
    this.places.forEach(({ id, key }, index) => {
      const digits = String(first + index).padStart(DIGITS, '0');
      copy.write(digits, id, 'latin1');
      copy.write(digits.slice(-4), key, 'latin1');
    });
    return copy;
  }

  private findPlaces(zero: string): void {
    let at = 0;
    for (let index = 0; index < this.events; index += 1) {
      const key = this.template.indexOf('anonymous-', at) + 'anonymous-'.length;
      const id = this.template.indexOf(`"messageId":"${this.prefix}${zero}`, key);
      this.places.push({ key, id: id + `"messageId":"${this.prefix}`.length });
      at = id + 1;
    }
  }
}
