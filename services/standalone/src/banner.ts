import type { Demo } from './demo';

export interface BannerFacts {
  readonly address: string;
  /** The API key that this start created; it is shown only once. */
  readonly newKey: string | undefined;
  readonly demo: Demo | undefined;
  /** Whether this start has created the demo. */
  readonly isDemoNew: boolean;
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

const OLD_KEY =
  'as shown at the first start, or set by PENSTOCK_BOOTSTRAP_KEY; lost: npm run keys:recover';

/** The start that creates the demo shows how to send an event, later ones only refer to it. */
const demoLines = ({ address, demo, isDemoNew }: BannerFacts): readonly string[] => {
  if (demo === undefined) return [];
  const key = `  Write key   ${demo.writeKey}`;
  if (!isDemoNew) return [key, `  Demo        ${address}/demo`];
  return [
    key,
    '',
    '  Send an event:',
    '',
    `    ${curl(address, demo.writeKey)}`,
    '',
    `  and see it arrive at ${address}/demo`,
  ];
};

/** Builds the text for the terminal that tells a person how to continue. */
export const banner = (facts: BannerFacts): string => {
  const { address, newKey } = facts;
  const key = newKey === undefined ? OLD_KEY : `${newKey}   (shown this once)`;
  const lines = [
    `Penstock is ready at ${address}`,
    '',
    `  API key     ${key}`,
    ...demoLines(facts),
  ];
  return `\n${lines.join('\n')}\n`;
};

const NOTICE_MS = 500;

/**
 * Prints the banner, and its last empty line a moment later: by then a reader such as `head` has left, which only a
 * write reveals.
 */
export const printBanner = (facts: BannerFacts): void => {
  process.stdout.write(banner(facts));
  setTimeout(() => process.stdout.write('\n'), NOTICE_MS).unref();
};
