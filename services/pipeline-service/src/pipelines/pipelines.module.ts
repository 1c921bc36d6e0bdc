import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { CheckReplay } from './check-replay';
import { CreatePipeline } from './create-pipeline';
import { DeletePipeline } from './delete-pipeline';
import { PipelineChecks } from './pipeline-checks';
import { PipelineConnections } from './pipeline-connections';
import { PipelineStates } from './pipeline-states';
import { PipelineVersion } from './pipeline-version';
import { SetPipelineStatus } from './set-pipeline-status';
import { UpdatePipeline } from './update-pipeline';
import { UsedConnectors } from './used-connectors';

@Module({
  imports: [ConnectionsModule],
  controllers: [
    CreatePipeline,
    UpdatePipeline,
    SetPipelineStatus,
    DeletePipeline,
    PipelineStates,
    PipelineVersion,
    CheckReplay,
  ],
  providers: [PipelineConnections, PipelineChecks, UsedConnectors],
})
export class PipelinesModule {}
