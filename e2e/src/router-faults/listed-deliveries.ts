import type { FanOut } from './fan-out';

/** A delivery as the API lists it. */
export interface ListedDelivery {
  readonly id: string;
  readonly pipeline: string;
  readonly connection: string;
  readonly messageId: string;
  readonly state: string;
  readonly step: string | null;
  readonly code: string;
  readonly attempts: number;
  readonly receivedAt: string;
}

interface Page {
  readonly deliveries: readonly ListedDelivery[];
  readonly cursor: string;
}

/** Reads all pages of the list. @param query parameters, such as `state=Waiting`. */
export const listedDeliveries = async (
  fanOut: FanOut,
  query = '',
  limit = 1_000,
): Promise<readonly ListedDelivery[]> => {
  const listed: ListedDelivery[] = [];
  for (let cursor = ''; ;) {
    const path = `/v1/pipelines/deliveries?limit=${String(limit)}&cursor=${cursor}&${query}`;
    const page = await fanOut.change((api) => api.call('GET', path) as Promise<Page>);
    listed.push(...page.deliveries);
    cursor = page.cursor;
    if (cursor === '') return listed;
  }
};

/** Reads the numbers by state and code, such as `Rejected 400`. */
export const countedDeliveries = async (
  fanOut: FanOut,
  query = '',
): Promise<Readonly<Record<string, number>>> => {
  interface Counts {
    readonly counts: readonly { state: string; code: string; count: number }[];
  }
  const { counts } = await fanOut.change(
    (api) => api.call('GET', `/v1/pipelines/deliveries/counts?${query}`) as Promise<Counts>,
  );
  return Object.fromEntries(counts.map(({ state, code, count }) => [`${state} ${code}`, count]));
};
