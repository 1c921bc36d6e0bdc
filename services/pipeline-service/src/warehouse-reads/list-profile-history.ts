import { type PastView, profilesOf } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import type { PastOfProfile } from '@penstock/warehouses';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';
import { type PageReading, ProfilePages } from './profile-pages';
import { survivorOf } from './survivor';

/** Lists what has happened to a profile, or to one that is gone, page by page. */
@Controller()
export class ListProfileHistory {
  constructor(private readonly pages: ProfilePages) {}

  @Handles('ListProfileHistory')
  handle(@Payload() request: RequestFor<'ListProfileHistory'>, @Ctx() received: LogRequestContext) {
    return this.pages.handle(request, received, 'profile-history', read);
  }
}

const NOTHING = { reason: null, joinedBy: [] };

const viewOf = ({ at: time, fact }: PastOfProfile): PastView => {
  const { type } = fact;
  switch (type) {
    case 'ProfileCreated':
      return { type, time, from: [], to: [fact.id], ...NOTHING };
    case 'ProfilesMerged': {
      const { survivor, absorbed } = fact;
      const joinedBy = fact.joinedBy.map(({ rule, identifier }) => ({ rule, identifier }));
      return { type, time, from: [survivor, ...absorbed], to: [survivor], reason: null, joinedBy };
    }
    case 'ProfileSplit': {
      const { kept, created, reason } = fact;
      return { type, time, from: [kept], to: [kept, ...created], reason, joinedBy: [] };
    }
    case 'ProfileDeleted':
      return { type, time, from: [fact.id], to: [], reason: fact.reason, joinedBy: [] };
  }
};

const read = async ({ reader, warehouse, profile, limit, after, signal }: PageReading) => {
  const { past, isLast } = await reader.history({ profile, limit, after }, signal);
  // What is not published yet is not in it: the profile itself tells whether there is one.
  if (past.length === 0) await survivorOf(reader, profilesOf(warehouse), profile, signal);
  const views = past.map((each) => ({ place: each.place, view: viewOf(each) }));
  const { items, rest } = fitting(views, ({ view }) => view, MAX_SEALED_BYTES);
  const next = rest === undefined && isLast ? undefined : items.at(-1)?.place;
  return { shown: { history: items.map(({ view }) => view) }, next };
};
