import { type EventStore, FactRow } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { organizationStream } from '../domain/organization.decide';

/** Finds the id of the first organization; undefined before the first start. */
export const knownOrganization = async ({
  db,
}: EventStore<EntityManager>): Promise<string | undefined> => {
  const row = await db.findOne(FactRow, {
    where: { type: 'OrganizationCreated' },
    order: { position: 'ASC' },
  });
  return row?.stream.slice(organizationStream('').length);
};
