import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type Usage, usage } from '../process-usage';
import type { Figures } from './figures';
import type { Stage } from './stage';

const POLL_MS = 100;
const PATIENCE_MS = 180_000;

/** Number of rows of the warehouse's events, and of its identities. */
const countRows = async (client: Client): Promise<{ events: number; identities: number }> => {
  const { rowCount } = await client.query(
    `SELECT WHERE to_regclass('warehouse.identities') IS NOT NULL AND to_regclass('warehouse.events') IS NOT NULL`,
  );
  // It is made when it is first written into.
  if (rowCount === 0) return { events: 0, identities: 0 };
  const { rows } = await client.query<{ events: number; identities: number }>(
    `SELECT (SELECT count(*)::int FROM warehouse.events) AS events,
            (SELECT count(*)::int FROM warehouse.identities) AS identities`,
  );
  return rows[0] ?? { events: 0, identities: 0 };
};

const microsOf = (before: Usage, after: Usage, events: number): Figures =>
  Object.fromEntries(
    [...after].map(([name, seconds]) => [
      `CPU µs an event, ${name}`,
      Math.round(((seconds - (before.get(name) ?? 0)) * 1e6) / events),
    ]),
  );

/** Measures how fast a number of events, and the identities in them, come into the warehouse at full speed. */
export const intoWarehouse = async (stage: Stage, events: number): Promise<Figures> => {
  const { processes, databaseUrl } = stage.installation;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const start = await countRows(client);
    const before = usage(processes);
    const startMs = Date.now();
    const sent = await stage.send({ events });
    let now = await countRows(client);
    for (; now.events < start.events + sent.events; await sleep(POLL_MS)) {
      if (Date.now() > startMs + PATIENCE_MS) break;
      now = await countRows(client);
    }
    const seconds = (Date.now() - startMs) / 1_000;
    return {
      events: sent.events,
      'accepted/s': Math.round(sent.events / sent.seconds),
      'events/s into the warehouse': Math.round((now.events - start.events) / seconds),
      missing: start.events + sent.events - now.events,
      identities: now.identities,
      ...microsOf(before, usage(processes), sent.events),
    };
  } finally {
    await client.end();
  }
};
