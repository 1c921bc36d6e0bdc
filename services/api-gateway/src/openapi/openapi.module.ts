import { Module } from '@nestjs/common';
import { DocumentController } from './document.controller';

/** The description of the API. */
@Module({ controllers: [DocumentController] })
export class OpenApiModule {}
