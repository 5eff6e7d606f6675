import { BadRequestException, type PipeTransform } from '@nestjs/common';

/** The name of a show becomes a file name and the name of a lock, so only harmless ones are let in. */
export class ShowNamePipe implements PipeTransform<string, string> {
  transform(name: string): string {
    if (/^[a-z0-9-]{1,40}$/.test(name)) return name;
    throw new BadRequestException('The name of a show is made of a to z, 0 to 9 and "-", 40 at most');
  }
}
