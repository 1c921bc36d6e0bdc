import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the view of workspaces, and adds the connectors of connections, for the limits of organizations. */
export class CreateWorkspaces1700000000010 implements MigrationInterface {
  readonly name = 'CreateWorkspaces1700000000010';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE TABLE penstock.workspaces (id text COLLATE "C" PRIMARY KEY, organization text NOT NULL,
         deleted boolean NOT NULL, state json NOT NULL)`,
    );
    await db.query(
      'CREATE INDEX workspaces_organization ON penstock.workspaces (organization, id)',
    );
    await db.query(
      `INSERT INTO penstock.workspaces
         SELECT data->>'id', data->>'organization', false,
                (data::jsonb || '{"kind":"workspace","version":1,"deleted":false}')::json
         FROM penstock.facts WHERE type = 'WorkspaceCreated'`,
    );
    await db.query(
      `ALTER TABLE penstock.connections
         ADD COLUMN connector text GENERATED ALWAYS AS (state->>'connector') STORED`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE penstock.connections DROP COLUMN connector');
    await db.query('DROP TABLE penstock.workspaces');
  }
}
