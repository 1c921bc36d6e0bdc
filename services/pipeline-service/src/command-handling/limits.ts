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
  /** Connectors, and formats of files, that pipelines other than $3 use; without those of $2. */
  connectors: `SELECT count(DISTINCT code) AS count FROM (
      SELECT o.connector AS code FROM penstock.connections o ${OF_ORGANIZATION}
        AND EXISTS (SELECT FROM penstock.pipelines p WHERE p.connection = o.id AND p.id <> $3)
      UNION ALL
      SELECT o.format FROM penstock.pipelines o ${OF_ORGANIZATION}
        AND o.format IS NOT NULL AND o.id <> $3
    ) used WHERE code <> ALL ($2::text[])`,
} as const;

const CODE = {
  connections: 'ConnectionsLimitReached',
  pipelines: 'PipelinesLimitReached',
  workspaces: 'WorkspacesLimitReached',
} as const satisfies Record<string, RefusalCode>;

/** An id that no pipeline has. */
const NO_PIPELINE = '';

const count = async (
  db: EntityManager,
  what: keyof typeof COUNT,
  ...parameters: readonly (string | readonly string[])[]
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
      connectors: await count(db, 'connectors', organization, [], NO_PIPELINE),
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
   * Checks that an organization may use connectors and formats of files in a pipeline.
   *
   * @param pipeline id of the one that is to use them, whose present use does not count, and the codes of its connector
   *   and of its format of files, if it has one.
   * @param known number of connectors and formats of the service: up to the limit nothing needs to be counted.
   * @throws Refusal ConnectorsLimitReached
   */
  async use(
    db: EntityManager,
    pipeline: { readonly id: string; readonly codes: readonly string[] },
    known: number,
    organization: string,
  ): Promise<void> {
    const { connectors: limit } = this.limits;
    if (known <= limit) return;
    const others = await count(db, 'connectors', organization, pipeline.codes, pipeline.id);
    if (others + pipeline.codes.length <= limit) return;
    throw new Refusal('ConnectorsLimitReached', {
      message: `organization cannot use more than ${String(limit)} connectors`,
    });
  }
}
