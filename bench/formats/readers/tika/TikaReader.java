import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.tika.io.TikaInputStream;
import org.apache.tika.metadata.Metadata;
import org.apache.tika.metadata.TikaCoreProperties;
import org.apache.tika.parser.AutoDetectParser;
import org.apache.tika.parser.ParseContext;
import org.apache.tika.parser.RecursiveParserWrapper;
import org.apache.tika.sax.BasicContentHandlerFactory;
import org.apache.tika.sax.BodyContentHandler;
import org.apache.tika.sax.ContentHandlerFactory;
import org.apache.tika.sax.RecursiveParserWrapperHandler;
import org.xml.sax.Attributes;
import org.xml.sax.ContentHandler;
import org.xml.sax.SAXException;

/**
 * Apache Tika as a reader: what its server answers to /rmeta/text (the text and metadata of a document and of every
 * document in it), with the addresses of links besides. Lines in, lines out: see loop.py.
 */
public final class TikaReader {
    private static final String LINKS = "\u0001links\u0001";

    /** The text of a document, after it the addresses of its links. */
    private static final class TextAndLinks extends BodyContentHandler {
        private final StringBuilder links = new StringBuilder();

        TextAndLinks() {
            super(-1);
        }

        @Override
        public void startElement(String uri, String local, String name, Attributes given) throws SAXException {
            String target = given.getValue("href");
            if (target != null) {
                links.append(target).append('\n');
            }
            super.startElement(uri, local, name, given);
        }

        @Override
        public String toString() {
            return super.toString() + LINKS + links;
        }
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        RecursiveParserWrapper parser = new RecursiveParserWrapper(new AutoDetectParser());
        OperatingSystemMXBean machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String path = line.replaceAll(".*\"path\": \"([^\"]*)\".*", "$1");
            int rounds = Integer.parseInt(line.replaceAll(".*\"rounds\": (\\d+).*", "$1"));
            String answer = "";
            long began = machine.getProcessCpuTime();
            for (int round = 0; round < rounds; round++) {
                answer = read(parser, path);
            }
            double used = (machine.getProcessCpuTime() - began) / 1e9;
            out.println("{" + answer + ", \"cpu_s\": " + used + "}");
        }
    }

    private static String read(RecursiveParserWrapper parser, String path) {
        ContentHandlerFactory factory = new BasicContentHandlerFactory(
                BasicContentHandlerFactory.HANDLER_TYPE.TEXT, -1) {
            @Override
            public ContentHandler getNewContentHandler() {
                return new TextAndLinks();
            }
        };
        RecursiveParserWrapperHandler handler = new RecursiveParserWrapperHandler(factory, -1);
        Metadata metadata = new Metadata();
        metadata.set(TikaCoreProperties.RESOURCE_NAME_KEY, Path.of(path).getFileName().toString());
        String error = "";
        try (TikaInputStream stream = TikaInputStream.get(Path.of(path))) {
            parser.parse(stream, handler, metadata, new ParseContext());
        } catch (Exception | Error fault) {
            error = fault.toString();
        }
        return told(handler.getMetadataList(), error);
    }

    private static String told(List<Metadata> documents, String error) {
        List<String> embedded = new ArrayList<>();
        StringBuilder out = new StringBuilder("\"error\": " + quoted(error));
        StringBuilder links = new StringBuilder();
        for (int number = 0; number < documents.size(); number++) {
            Metadata about = documents.get(number);
            String content = about.get(TikaCoreProperties.TIKA_CONTENT);
            String[] parts = ((content == null ? "" : content) + LINKS).split(LINKS, -1);
            links.append(parts[1]);
            if (number == 0) {
                out.append(", \"text\": ").append(quoted(parts[0]));
                out.append(", \"attributes\": {").append(attributes(about)).append("}");
            } else {
                String name = about.get(TikaCoreProperties.RESOURCE_NAME_KEY);
                String title = about.get(TikaCoreProperties.TITLE);
                embedded.add("{\"name\": " + quoted(name == null ? "" : name) + ", \"text\": "
                        + quoted((title == null ? "" : title) + "\n" + parts[0]) + "}");
            }
        }
        out.append(", \"links\": [").append(listed(links.toString().split("\n"))).append("]");
        out.append(", \"embedded\": [").append(String.join(", ", embedded)).append("]");
        return out.toString();
    }

    private static String attributes(Metadata about) {
        List<String> found = new ArrayList<>();
        for (String name : about.names()) {
            if (!name.startsWith("X-TIKA") && !name.equals(TikaCoreProperties.RESOURCE_NAME_KEY)) {
                found.add(quoted(name) + ": [" + listed(about.getValues(name)) + "]");
            }
        }
        return String.join(", ", found);
    }

    private static String listed(String[] values) {
        List<String> found = new ArrayList<>();
        for (String value : values) {
            found.add(quoted(value));
        }
        return String.join(", ", found);
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                out.append('\\').append(each);
            } else if (each < ' ' || Character.isSurrogate(each)) {
                out.append(String.format("\\u%04x", (int) each));
            } else {
                out.append(each);
            }
        }
        return out.append('"').toString();
    }
}
