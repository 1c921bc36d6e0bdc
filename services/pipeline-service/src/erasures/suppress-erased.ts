import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, loadAll } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { suppressionDecider, suppressionStream } from '../domain/suppression.decide';

/** Suppresses users who are erased, all at once: routers erase what they hold of them. */
@Controller()
export class SuppressErased {
  constructor(private readonly configuration: Configuration) {}

  @Handles('SuppressErased')
  handle(@Payload() { context, in: { id: workspace, users } }: RequestFor<'SuppressErased'>) {
    return this.configuration.execute(context, async (reading) => {
      const ids = [...new Set(users)];
      const all = await loadAll(reading, suppressionDecider, ids.map(suppressionStream));
      const streams = ids.flatMap((id, index) => {
        const own = all[index];
        if (own === undefined) return [];
        const command = { type: 'SuppressUser', user: { id, workspace } } as const;
        return [appendTo(own, suppressionDecider.decide(command, own.state))];
      });
      return { streams, reply: {}, verify: (db) => notDeleted(db, workspace) };
    });
  }
}
