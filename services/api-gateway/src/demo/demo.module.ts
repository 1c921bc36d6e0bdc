import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module';
import { DemoController } from './demo.controller';
import { StartController } from './start.controller';

/** The page of the demo, and where `/` leads. */
@Module({ imports: [ConnectionsModule], controllers: [DemoController, StartController] })
export class DemoModule {}
