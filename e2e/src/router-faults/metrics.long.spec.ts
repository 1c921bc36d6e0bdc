import { setTimeout as sleep } from 'node:timers/promises';
import { NewOutcomes, readOutcomes, TOPIC } from '@penstock/contracts';
import { Client } from 'pg';
import { eventually } from '../harness/eventually';
import { showingOutput } from '../harness/installation';
import { ON_KAFKA, ON_POSTGRES } from '../harness/router-forms';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import { answering } from './behaviours';
import { Load } from './load';
import { formsOf, sized } from './sizes';

jest.setTimeout(sized(300_000, 600_000));

const EVENTS = sized(1_500, 10_000);
const EVENTS_PER_SECOND = 300;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How far the counts are moved into the past, so that they are merged into hours. */
const PAST_DAYS = 5;

/** What is compared of an answer. */
interface Total {
  readonly accepted: number;
  readonly passed: readonly number[];
  readonly failed: readonly number[];
  readonly retries: number;
  readonly endings: readonly object[];
  readonly latency: object | null;
  readonly duplicates: number;
}

describe.each(formsOf(ON_KAFKA, ON_POSTGRES))('$form', ({ start }) => {
  let installation: RouterInstallation;
  let load: Load;

  beforeAll(async () => {
    installation = await start();
    load = await Load.open(installation, { eventsPerSecond: EVENTS_PER_SECOND });
  });

  afterAll(async () => {
    await installation.destroy();
    await load.close();
  });

  const sql = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new Client({ connectionString: installation.databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  };

  /** The sums over the days around now and around the time to which the counts are moved. */
  const total = async (path: string): Promise<Total> => {
    const from = new Date(Date.now() - (PAST_DAYS + 1) * DAY_MS).toISOString();
    const query = `/v1/${path}/metrics?stepSize=hour&from=${from}`;
    const { total: found } = await load.fanOut.change(
      (api) => api.call('GET', query) as Promise<{ readonly total: Total }>,
    );
    return found;
  };

  const totals = async (): Promise<Map<string, Total>> => {
    const { pipelineIds, destinationIds, sources } = load.fanOut;
    const paths = [
      ...[...pipelineIds.values()].map((id) => `pipelines/${id}`),
      ...destinationIds.map((id) => `connections/${id}`),
      ...sources.map(({ id }) => `connections/${id}`),
    ];
    const found = new Map<string, Total>();
    for (const path of paths) found.set(path, await total(path));
    return found;
  };

  /** Requests beyond the first of each delivery that has ended, by pipeline, as the topic of outcomes says. */
  const retriesOnLog = async (): Promise<Map<string, number>> => {
    const log = installation.openLog();
    const retries = new Map<string, number>();
    const fresh = new NewOutcomes();
    try {
      const reader = await log.follow({
        topic: TOPIC.outcomes,
        onBatch: (_, records) => {
          for (const { value } of records) {
            const record = readOutcomes(value ?? '');
            if (!fresh.isNew(record)) continue;
            for (const { pipeline, attempts, offsets } of record.outcomes)
              retries.set(
                pipeline,
                (retries.get(pipeline) ?? 0) + Math.max(0, attempts - 1) * offsets.length,
              );
          }
          return Promise.resolve();
        },
      });
      await reader.caughtUp();
      await reader.stop();
      return retries;
    } finally {
      await log.close();
    }
  };

  const added = (all: readonly Total[], name: 'passed' | 'failed'): number[] =>
    Array.from({ length: 6 }, (_, step) =>
      all.reduce((sum, each) => sum + (each[name][step] ?? 0), 0),
    );

  const killAll = async (): Promise<void> => {
    await Promise.all(installation.routers.map((router) => router.kill9()));
    await Promise.all(installation.routers.map((router) => router.start()));
  };

  it(
    'counts over time are exact, also when routers are killed and counts are merged',
    showingOutput(
      () => installation,
      async () => {
        const { fanOut } = load;
        const failing = fanOut.server('failing');
        const sent = load.sender.send(EVENTS);
        await until('a third is accepted', () => load.accepted.length > EVENTS / 3, 60_000);
        failing.behaviour = answering(503);
        const [victim] = installation.routers;
        await victim?.kill9();
        await sleep(1_000);
        failing.behaviour = fanOut.plan.destinations[2]?.usual ?? failing.behaviour;
        await victim?.start();
        await sent;
        // Sums by step, of each pipeline, are those of the plan.
        expect(await load.wrong()).toEqual([]);

        const before = await totals();
        const of = (path: string): Total => before.get(path) as Total;
        for (const [index, destination] of fanOut.destinationIds.entries()) {
          const own = fanOut.plan.pipelines
            .filter((pipeline) => pipeline.destination === index)
            .map(({ name }) => of(`pipelines/${fanOut.pipelineIds.get(name) ?? ''}`));
          const { passed, failed } = of(`connections/${destination}`);
          expect([passed, failed]).toEqual([added(own, 'passed'), added(own, 'failed')]);
        }
        for (const [index, { id }] of fanOut.sources.entries()) {
          const { accepted, duplicates } = of(`connections/${id}`);
          const events = load.accepted.filter(({ source }) => source === index);
          expect(accepted - duplicates).toBe(events.length);
        }
        const retries = await eventually(async () => {
          const onLog = await retriesOnLog();
          return [...fanOut.pipelineIds].flatMap(([name, id]) => {
            const [told, found] = [of(`pipelines/${id}`).retries, onLog.get(id) ?? 0];
            return told === found ? [] : [`${name}: ${String(told)} instead of ${String(found)}`];
          });
        }, 30_000);
        expect(retries).toEqual([]);

        // Time passes: the counts are merged into hours by routers that are killed meanwhile.
        for (const table of ['counters', 'bases', 'delivery_times', 'source_events'])
          await sql(
            `UPDATE penstock_router.${table} SET minute = minute - ${String(PAST_DAYS * 24 * 60)}`,
          );
        await killAll();
        await sleep(300);
        await killAll();
        const merged = await eventually(
          () =>
            sql<{ partition: number; minute: number }>(
              'SELECT partition, minute FROM penstock_router.bases LIMIT 3',
            ),
          90_000,
        );
        expect(merged).toEqual([]);
        expect(await totals()).toEqual(before);
        for (const { opsAddress } of installation.routers)
          expect(await (await fetch(`${opsAddress}/metrics`)).text()).toContain(
            '\npenstock_router_unbalanced_pipelines 0\n',
          );
      },
    ),
  );
});
