import { Counter, Gauge, type Registry } from 'prom-client';
import { ByteShare } from './byte-share';

/** Of all bodies of requests to the API that are under way, unless somebody says otherwise: 32 of the longest. */
export const API_BYTES = 16_777_216;

/** How many bytes of request bodies may be held, by what is known of their senders. */
export interface BodyShareSizes {
  /** Of senders of events whose write key is known. */
  readonly keyedBytes: number;
  /** Of those whose key stands in the body, or is still being looked up. */
  readonly keylessBytes: number;
  /** Of requests to the API. */
  readonly apiBytes: number;
}

/** Bounds the memory of all request bodies of a gateway; shows what is held of it. */
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
