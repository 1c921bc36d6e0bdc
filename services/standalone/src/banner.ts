import type { Demo } from './demo';

export interface BannerFacts {
  readonly address: string;
  /** The API key that this start created; it is shown only once. */
  readonly newKey: string | undefined;
  readonly demo: Demo | undefined;
}

const EVENT = {
  type: 'track',
  event: 'Add to Cart',
  userId: 'Ada',
  properties: { item_name: 'tea pot', item_id: 42 },
};

const curl = (address: string, writeKey: string): string =>
  [
    `curl ${address}/v1/events`,
    `-H 'Authorization: Bearer ${writeKey}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(EVENT)}'`,
  ].join(' \\\n    ');

/** Builds the text for the terminal that tells a person how to continue. */
export const banner = ({ address, newKey, demo }: BannerFacts): string =>
  [
    '',
    `Penstock is ready at ${address}`,
    '',
    newKey === undefined
      ? '  API key     as shown at the first start, or as set by PENSTOCK_BOOTSTRAP_KEY'
      : `  API key     ${newKey}   (shown this once)`,
    ...(demo === undefined
      ? []
      : [
          `  Write key   ${demo.writeKey}`,
          '',
          '  Send an event:',
          '',
          `    ${curl(address, demo.writeKey)}`,
          '',
          `  and see it arrive at ${address}/demo`,
        ]),
    '',
    '',
  ].join('\n');
