import { type Answer, answer } from '../http-stub.fixture';
import { plain } from '../vendor-tests.fixture';

export interface MeasuredEvent {
  readonly client_id: string;
  readonly user_id?: string;
  readonly name: string;
  readonly params: Record<string, unknown>;
  readonly timestamp_micros: number;
}

const MAX_BODY_BYTES = 130_000;
const MAX_AGE_MICROS = 72 * 3_600_000_000;

const isGood = ({ client_id, name, params, timestamp_micros }: MeasuredEvent): boolean =>
  client_id !== '' &&
  /^[A-Za-z]\w{0,39}$/.test(name) &&
  name !== 'session_start' &&
  // The session and the engagement are not counted.
  Object.keys(params).length <= 27 &&
  Object.keys(params).every((param) => /^[A-Za-z]\w{0,39}$/.test(param)) &&
  Date.now() * 1_000 - timestamp_micros <= MAX_AGE_MICROS;

/**
 * Answers 2xx to everything, and drops what is bad.
 *
 * Source: Google for Developers, "Send Measurement Protocol events to Google Analytics", as of November 2026.
 */
export class GoogleAnalyticsVendor {
  readonly taken: MeasuredEvent[] = [];

  constructor(
    private readonly measurementId: string,
    private readonly apiSecret: string,
  ) {}

  readonly answer: Answer = (response, request) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const isKnown =
      request.method === 'POST' &&
      pathname === '/mp/collect' &&
      searchParams.get('measurement_id') === this.measurementId &&
      searchParams.get('api_secret') === this.apiSecret;
    const { events, ...common } = plain(request.body);
    const measured = (events as Partial<MeasuredEvent>[]).map(
      (event) => ({ ...common, ...event }) as MeasuredEvent,
    );
    const fits = measured.length <= 25 && Buffer.byteLength(request.body) < MAX_BODY_BYTES;
    if (isKnown && fits) this.taken.push(...measured.filter(isGood));
    answer(204)(response, request);
  };
}
