/* xmlpass FILE: a bare pass of libxml2's xmlreader over the file, with the options of frontend/openvino_xml.c: what
 * reading OpenVINO IR is measured against. */
#include <fcntl.h>
#include <libxml/xmlreader.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    struct stat s;
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1, more;
    if (fd < 0 || fstat(fd, &s)) return 2;
    const char *data = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) return 2;
    xmlTextReaderPtr r = xmlReaderForMemory(data, (int)s.st_size, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOCDATA |
                                            XML_PARSE_NOBLANKS | XML_PARSE_COMPACT);
    while ((more = xmlTextReaderRead(r)) == 1) {}
    xmlFreeTextReader(r);
    return more != 0;
}
