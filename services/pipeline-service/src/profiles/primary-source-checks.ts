import { type ConnectionId, isIdForm, type PrimarySources, Refusal } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { pointer, type Schema } from '@penstock/schema';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { ConnectionRow } from '../read-model/views';
import { checkPrimaryPaths } from './wanted-profiles';

/** The checks of the sources that profiles prefer for a property. */
@Injectable()
export class PrimarySourceChecks {
  constructor(private readonly store: EventStore<EntityManager>) {}

  /**
   * @param wanted path of a property → id of a connection, as a client wrote them.
   * @throws Refusal ConnectionNotExist for one that is no source of the workspace; BadRequest for a path without a value.
   */
  async check(
    schema: Schema,
    wanted: Readonly<Record<string, string>>,
    workspace: string,
  ): Promise<PrimarySources> {
    const ids = [...new Set(Object.values(wanted))].filter(isIdForm);
    const where = { id: In(ids), workspace };
    const found = ids.length === 0 ? [] : await this.store.db.find(ConnectionRow, { where });
    const sources = new Set(
      found.filter(({ state }) => state.role === 'Source').map(({ id }) => id),
    );
    const details = Object.entries(wanted)
      .filter(([, id]) => !sources.has(id))
      .map(([path, id]) => ({
        path: pointer('primarySources', path),
        message: `${id} is no source of this workspace`,
      }));
    if (details.length > 0) throw new Refusal('ConnectionNotExist', { kind: 'refused', details });
    checkPrimaryPaths(schema, Object.keys(wanted));
    return wanted as Readonly<Record<string, ConnectionId>>;
  }
}
