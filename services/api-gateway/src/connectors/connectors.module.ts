import { Module } from '@nestjs/common';
import { ConnectorsController } from './connectors.controller';

/** The connectors that there are. */
@Module({ controllers: [ConnectorsController] })
export class ConnectorsModule {}
