import { createHmac } from 'node:crypto';
import { ADVISORY_LOCK } from '@penstock/contracts';
import type { Client } from 'pg';
import type { RouterInstallation } from '../harness/router-installation';
import { until } from '../harness/until';
import type { WebhookCall, WebhookReceiver } from '../harness/webhook-receiver';

/** With which webhooks of alerts are signed. */
export const SECRET = 'the secret of the webhooks';
/** What an update of a destination adds to its name. */
const UPDATED = / \d+$/;

interface Body {
  readonly id: string;
  readonly alert: { readonly kind: string };
  readonly change: string;
  readonly name: string;
  readonly health: { readonly code: string } | null;
  readonly value: number | null;
}

/** What a call has told. */
export const bodyOf = ({ body }: WebhookCall): Body => JSON.parse(body) as Body;

/** What was told, each notification once, in the order in which it was first sent. */
export const told = ({ calls }: WebhookReceiver): string[] => [
  ...new Map(
    calls.map((call) => {
      const { id, change, name } = bodyOf(call);
      return [id, `${name.replace(UPDATED, '')} ${change}`] as const;
    }),
  ).values(),
];

/** Calls whose key is not the id of their notification, or whose signature is not that of their body. */
export const unsigned = ({ calls }: WebhookReceiver): WebhookCall[] =>
  calls.filter((call) => {
    const { headers, body } = call;
    const [, time = '', hash] =
      /^t=(\d+),v1=(.+)$/.exec(String(headers['penstock-signature'])) ?? [];
    const expected = createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex');
    return hash !== expected || headers['idempotency-key'] !== bodyOf(call).id;
  });

/** Number of notifications that have not been sent. */
export const waiting = async (database: Client): Promise<number> => {
  const { rows } = await database.query(
    'SELECT FROM penstock_router.alert_notifications WHERE ended IS NULL',
  );
  return rows.length;
};

interface Killed {
  readonly installation: Pick<RouterInstallation, 'routers'>;
  readonly database: Client;
  readonly receivers: readonly WebhookReceiver[];
  readonly patienceMs: number;
  /** Kills the routers, and whatever else is to be killed with them; default: the routers alone. */
  readonly kill?: () => Promise<unknown>;
  /** Starts routers again; default: all of them. */
  readonly start?: () => Promise<unknown>;
}

/**
 * Kills all routers after the evaluation has recorded its notifications and before any was taken to be sent.
 *
 * @param recorded number of notifications that are waited for.
 */
export const killBeforeSending = async (
  recorded: number,
  { installation, database, receivers, patienceMs, kill, start }: Killed,
): Promise<void> => {
  const { routers } = installation;
  await database.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK.takeNotifications]);
  const isRecorded = async (): Promise<boolean> => (await waiting(database)) >= recorded;
  await until('notifications are recorded', isRecorded, patienceMs);
  await (kill?.() ?? Promise.all(routers.map((router) => router.kill9())));
  expect(receivers.flatMap(({ calls }) => calls)).toEqual([]);
  await database.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK.takeNotifications]);
  await (start?.() ?? Promise.all(routers.map((router) => router.start())));
};
