import { type HealthReport, instant, Refusal, type WorkspaceId } from '@penstock/contracts';
import { type Reading, VersionConflict } from '@penstock/event-sourcing';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { healthDecider, healthStream } from '../domain/health.decide';
import { pipelineDecider, pipelineStream } from '../domain/pipeline.decide';
import { ConnectionRow, PipelineRow } from '../read-model/views';

type Of = Pick<HealthReport, 'subject' | 'id'>;

/** Records the health of a connection or a pipeline that routers have observed. */
@Controller()
export class ReportHealth {
  constructor(private readonly configuration: Configuration) {}

  @Handles('ReportHealth')
  handle(@Payload() { context, in: report }: RequestFor<'ReportHealth'>) {
    return this.configuration.execute(context, async (reading) => {
      const workspace = await workspaceOf(reading, report);
      const own = await load(reading, healthDecider, healthStream(report.id));
      const { subject, id, code, since, objectVersion } = report;
      const observed = { subject, id, workspace, code, since, objectVersion };
      const command = { type: 'ReportHealth', report: observed, now: instant(new Date()) } as const;
      return {
        streams: [appendTo(own, healthDecider.decide(command, own.state))],
        reply: {},
        verify: (db) => checkPresent(db, report),
      };
    });
  }
}

/** @throws Refusal ConnectionNotExist, PipelineNotExist */
const workspaceOf = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  { subject, id }: Of,
): Promise<WorkspaceId> => {
  const { state } =
    subject === 'connection'
      ? await load(reading, connectionDecider, connectionStream(id))
      : await load(reading, pipelineDecider, pipelineStream(id));
  if (state !== null && !state.deleted) return state.workspace;
  throw new Refusal(subject === 'connection' ? 'ConnectionNotExist' : 'PipelineNotExist');
};

/** @throws VersionConflict when the object was deleted since the decision, so that it is made again. */
const checkPresent = async (db: EntityManager, { subject, id }: Of): Promise<void> => {
  if (await db.existsBy(subject === 'connection' ? ConnectionRow : PipelineRow, { id })) return;
  throw new VersionConflict(`${subject} ${id} was deleted`);
};
