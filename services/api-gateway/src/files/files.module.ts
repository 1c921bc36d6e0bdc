import { Module } from '@nestjs/common';
import { FilesController } from './files.controller';

/** Looks into the files of storages. */
@Module({ controllers: [FilesController] })
export class FilesModule {}
