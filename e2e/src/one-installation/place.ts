import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddedPostgres } from '@penstock/embedded-postgres';
import { type LocalMariadb, startMariadb } from '@penstock/local-mariadb';
import { Client } from 'pg';
import { ApiClient } from '../harness/api-client';
import { startDatabase } from '../harness/database';
import { DISTRIBUTED_WITH_WAREHOUSE, EMBEDDED } from '../harness/forms';
import type { Installation } from '../harness/installation';
import { WITHOUT_DRIVER } from '../harness/without-driver';
import { sized } from '../router-faults/sizes';

/** A workspace for one part of the spec. */
export interface Workspace {
  readonly id: string;
  readonly api: ApiClient;
}

/** Work that an installation goes on with after it was killed in the middle of it. */
export interface Survivor {
  readonly what: string;
  /** Begins the work; resolves when a part of it is done. */
  begin(): Promise<void>;
  /** Checks that all of it was done, once. */
  end(): Promise<void>;
}

/**
 * One installation, with the servers that its connections read and write, for all parts of the spec: in one process, in the long
 * form several on Kafka.
 */
export class Place {
  private constructor(
    private readonly base: string,
    readonly installation: Installation,
    /** A PostgreSQL beside that of the installation. */
    readonly postgres: EmbeddedPostgres,
    readonly mariadb: LocalMariadb,
    /** The workspace of a new installation, whose warehouse is the schema `warehouse` of its database. */
    readonly first: Workspace,
  ) {}

  static async open(): Promise<Place> {
    const base = mkdtempSync(join(tmpdir(), 'penstock-place-'));
    // As root, the database runs as another user, who must be able to enter the folder.
    chmodSync(base, 0o711);
    const [root, spool] = [join(base, 'root'), join(base, 'spool')];
    for (const folder of [root, spool]) mkdirSync(folder);
    const [installation, postgres, mariadb] = await Promise.all([
      sized(EMBEDDED, DISTRIBUTED_WITH_WAREHOUSE).start({
        ...WITHOUT_DRIVER,
        PENSTOCK_FILES_ROOT: root,
        PENSTOCK_FILES_SPOOL: spool,
        // All work that survives a kill is under way together.
        PENSTOCK_RUNS_PER_PROCESS: '16',
        PENSTOCK_RUNS_PER_WORKSPACE: '16',
      }),
      startDatabase(base),
      startMariadb(),
    ]);
    const { address, apiKey } = installation;
    const current = await new ApiClient(address, apiKey).call('GET', '/v1/workspaces/current');
    const { id } = current as { id: string };
    const first = { id, api: new ApiClient(address, apiKey, { workspace: id }) };
    return new Place(base, installation, postgres, mariadb, first);
  }

  /** Folder of the files that the connector `filesystem` reads and writes. */
  get root(): string {
    return join(this.base, 'root');
  }

  /** Names of the files in which the installation keeps what it has not read to the end. */
  get spooled(): readonly string[] {
    return readdirSync(join(this.base, 'spool'));
  }

  /** Creates a workspace with a warehouse of its own, in the database of the installation. */
  async newWorkspace(name: string): Promise<Workspace> {
    const { address, apiKey, databaseUrl } = this.installation;
    const role = `workspace_${randomBytes(6).toString('hex')}`;
    const password = randomBytes(12).toString('hex');
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      `CREATE ROLE ${role} LOGIN PASSWORD '${password}'; CREATE SCHEMA ${role} AUTHORIZATION ${role}`,
    );
    await client.end();
    const { hostname: host, port, pathname } = new URL(databaseUrl);
    const settings = {
      ...{ host, port: Number(port), username: role, password },
      ...{ database: pathname.slice(1), schema: role },
    };
    const body = { name, warehouse: { platform: 'PostgreSQL', settings } };
    const made = await this.first.api.call('POST', '/v1/workspaces', body);
    const { id } = made as { id: string };
    return { id, api: new ApiClient(address, apiKey, { workspace: id }) };
  }

  async close(): Promise<void> {
    await this.installation.destroy();
    await Promise.all([this.mariadb.stop(), this.postgres.stop()]);
    rmSync(this.base, { recursive: true, force: true, maxRetries: 3 });
  }
}
