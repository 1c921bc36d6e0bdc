import { profilesOf } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import { WarehouseFault } from '@penstock/warehouses';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Handles, type RequestFor } from '../command-handling/handles';
import { DataKeys } from '../data-keys/data-keys';
import { nextProfilesVersion } from '../domain/warehouse.decide';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { operationRefusal } from '../warehouse/fault-refusal';
import { WarehouseChecks } from '../warehouse/warehouse-checks';
import { affectedPipelines } from './affected-pipelines';
import { differenceOf, isPresent, wantedProfiles } from './wanted-profiles';

/** Tells what a change of the schema of profiles would do, without the warehouse. */
@Controller()
export class PreviewProfileSchemaChange {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly checks: WarehouseChecks,
    private readonly dataKeys: DataKeys,
  ) {}

  @Handles('PreviewProfileSchemaChange')
  async handle(@Payload() request: RequestFor<'PreviewProfileSchemaChange'>) {
    const { context, in: input } = request;
    const { workspace } = context;
    const { db } = this.store;
    const schema = wantedProfiles(input);
    const { warehouse } = await existingWarehouse(this.store, { workspace });
    const affected = await affectedPipelines(db, workspace, schema);
    if (isPresent(schema, warehouse)) return { queries: [], affectedPipelines: affected };
    const difference = differenceOf(warehouse, schema, input.rePaths);
    const { platform, settings } = this.checks.open(
      await this.dataKeys.of(db, workspace),
      warehouse,
    );
    const to = { version: nextProfilesVersion(warehouse), schema };
    const step = { from: profilesOf(warehouse), to, difference, marksAll: false };
    try {
      const queries = platform.changeQueries(settings, step);
      return { queries, affectedPipelines: affected };
    } catch (error) {
      throw error instanceof WarehouseFault ? operationRefusal(error) : error;
    }
  }
}
