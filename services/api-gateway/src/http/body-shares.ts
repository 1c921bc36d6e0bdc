import { Counter, Gauge, type Registry } from 'prom-client';
import { ByteShare } from './byte-share';

/** Default for the total bytes of the bodies of API requests in progress: 32 bodies of maximal length. */
export const API_BYTES = 16_777_216;

/** Limits in bytes for the request bodies held in memory, by kind of sender. */
export interface BodyShareSizes {
  /** For senders of events whose write key is known. */
  readonly keyedBytes: number;
  /** For senders whose key is in the body, or is still being looked up. */
  readonly keylessBytes: number;
  /** For requests to the API. */
  readonly apiBytes: number;
}

/** Bounds the memory of all request bodies of a gateway, and reports its use as metrics. */
export class BodyShares {
  readonly keyed: ByteShare;
  readonly keyless: ByteShare;
  readonly api: ByteShare;

  constructor({ keyedBytes, keylessBytes, apiBytes }: BodyShareSizes, registry: Registry) {
    this.keyed = new ByteShare(keyedBytes);
    this.keyless = new ByteShare(keylessBytes);
    this.api = new ByteShare(apiBytes);
    show({ keyed: this.keyed, keyless: this.keyless, api: this.api }, registry);
  }
}

const show = (shares: Readonly<Record<string, ByteShare>>, registry: Registry): void => {
  const registers = [registry];
  new Gauge({
    name: 'penstock_request_body_bytes',
    help: 'Bytes held of request bodies and of what was made of them, by share.',
    labelNames: ['share'],
    registers,
    collect() {
      for (const [share, { heldBytes }] of Object.entries(shares)) this.set({ share }, heldBytes);
    },
  });
  new Counter({
    name: 'penstock_request_bodies_refused_total',
    help: 'Request bodies that found no room in their share.',
    labelNames: ['share'],
    registers,
    collect() {
      this.reset();
      for (const [share, { refusals }] of Object.entries(shares)) this.inc({ share }, refusals);
    },
  });
};
