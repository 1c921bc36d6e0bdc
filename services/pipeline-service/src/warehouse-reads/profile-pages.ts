import type { Page, RequestContext, WarehouseState } from '@penstock/contracts';
import { EventStore } from '@penstock/event-sourcing';
import type { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import type { WarehouseReader } from '@penstock/warehouses';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DataKeys } from '../data-keys/data-keys';
import { orUnavailable } from '../database/or-unavailable';
import { withinDeadline } from '../deadline/within-deadline';
import { existingWarehouse } from '../warehouse/existing-warehouse';
import { cursorAt, placeOf } from './list-cursor';
import { WarehouseReads } from './warehouse-reads';

/** The request for a page of what belongs to one profile. */
interface PageRequest {
  readonly context: RequestContext;
  readonly in: Page & { readonly profile: string };
}

/** What a page is read with. */
export interface PageReading {
  readonly reader: WarehouseReader;
  readonly warehouse: WarehouseState;
  /** The id that was asked for. */
  readonly profile: string;
  readonly limit: number;
  /** Absent: from the first one on. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads a page, and the place of the last one when others follow. */
type ReadPage<Shown> = (
  reading: PageReading,
) => Promise<{ readonly shown: Shown; readonly next: string | undefined }>;

/** Answers lists of what belongs to one profile, page by page. */
@Injectable()
export class ProfilePages {
  constructor(
    private readonly store: EventStore<EntityManager>,
    private readonly dataKeys: DataKeys,
    private readonly reads: WarehouseReads,
    private readonly slow: SlowRequests,
  ) {}

  /** @param name of the list: a cursor is of no use for another one. */
  handle<Shown extends object>(
    request: PageRequest,
    received: LogRequestContext,
    name: string,
    read: ReadPage<Shown>,
  ) {
    return this.slow.handle(request, received, (until) =>
      withinDeadline((signal) => this.page(request, name, read, signal), until),
    );
  }

  private async page<Shown extends object>(
    { context: { workspace, organization }, in: { profile, limit, cursor } }: PageRequest,
    name: string,
    read: ReadPage<Shown>,
    signal: AbortSignal,
  ): Promise<Shown & { readonly cursor: string }> {
    const { warehouse } = await orUnavailable(existingWarehouse(this.store, { workspace }));
    const seals = await orUnavailable(this.dataKeys.of(this.store.db, workspace));
    const list = { workspace, name: `${name}/${profile}` };
    const after = cursor === '' ? undefined : placeOf(seals, list, cursor);
    const { shown, next } = await this.reads.in(
      { workspace, organization, seals, signal },
      (reader) => read({ reader, warehouse, profile, limit, after, signal }),
    );
    return { ...shown, cursor: next === undefined ? '' : cursorAt(seals, list, next) };
  }
}
