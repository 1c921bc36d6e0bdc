import { type OrganizationCounts, Refusal, type RefusalCode } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';

/**
 * Connectors and pipelines: API document, "Errors", as its rulings fill it in. Keys are published as a whole, in one
 * message of at most 1 MB.
 */
export const ORGANIZATION_LIMITS: OrganizationCounts = {
  connectors: 1_000,
  connections: 10_000,
  pipelines: 10_000,
  workspaces: 100,
  keys: 100,
};

const OF_ORGANIZATION =
  'JOIN penstock.workspaces w ON w.id = o.workspace WHERE w.organization = $1';

/** Counts for an organization $1. */
const COUNT = {
  connections: `SELECT count(*) AS count FROM penstock.connections o ${OF_ORGANIZATION}`,
  pipelines: `SELECT count(*) AS count FROM penstock.pipelines o ${OF_ORGANIZATION}`,
  workspaces:
    'SELECT count(*) AS count FROM penstock.workspaces WHERE organization = $1 AND NOT deleted',
  /** Without the connector $2. */
  connectors: `SELECT count(DISTINCT o.connector) AS count FROM penstock.connections o ${OF_ORGANIZATION}
    AND o.connector <> $2 AND EXISTS (SELECT FROM penstock.pipelines p WHERE p.connection = o.id)`,
} as const;

const CODE = {
  connections: 'ConnectionsLimitReached',
  pipelines: 'PipelinesLimitReached',
  workspaces: 'WorkspacesLimitReached',
} as const satisfies Record<string, RefusalCode>;

/** A code that no connector has. */
const NO_CONNECTOR = '';

const count = async (
  db: EntityManager,
  what: keyof typeof COUNT,
  ...parameters: readonly string[]
): Promise<number> => {
  const [row] = await db.query<{ count: string }[]>(COUNT[what], [...parameters]);
  return Number(row?.count);
};

/**
 * Checks the limits of organizations. Inside the transaction of an append, which no other append can run beside, each
 * limit is exact under concurrent requests.
 */
export class LimitChecks {
  constructor(readonly limits: OrganizationCounts) {}

  /** The counts of an organization's limited objects; the number of its keys is in its state. */
  async counts(db: EntityManager, organization: string): Promise<Omit<OrganizationCounts, 'keys'>> {
    return {
      connectors: await count(db, 'connectors', organization, NO_CONNECTOR),
      connections: await count(db, 'connections', organization),
      pipelines: await count(db, 'pipelines', organization),
      workspaces: await count(db, 'workspaces', organization),
    };
  }

  /** @throws Refusal ConnectionsLimitReached, PipelinesLimitReached or WorkspacesLimitReached */
  async oneMore(db: EntityManager, what: keyof typeof CODE, organization: string): Promise<void> {
    const limit = this.limits[what];
    if ((await count(db, what, organization)) >= limit)
      throw new Refusal(CODE[what], {
        message: `organization cannot have more than ${String(limit)} ${what}`,
      });
  }

  /**
   * Checks that an organization may use a connector in a pipeline.
   *
   * @param known number of connectors of the service: up to the limit nothing needs to be counted.
   * @throws Refusal ConnectorsLimitReached
   */
  async use(
    db: EntityManager,
    connector: string,
    known: number,
    organization: string,
  ): Promise<void> {
    const { connectors: limit } = this.limits;
    if (known <= limit || (await count(db, 'connectors', organization, connector)) < limit) return;
    throw new Refusal('ConnectorsLimitReached', {
      message: `organization cannot use more than ${String(limit)} connectors`,
    });
  }
}
