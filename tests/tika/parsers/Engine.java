import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.tika.Tika;
import org.apache.tika.io.TikaInputStream;
import org.apache.tika.metadata.Metadata;
import org.apache.tika.metadata.TikaCoreProperties;
import org.apache.tika.parser.AutoDetectParser;
import org.apache.tika.parser.ParseContext;
import org.apache.tika.parser.RecursiveParserWrapper;
import org.apache.tika.sax.BasicContentHandlerFactory;
import org.apache.tika.sax.RecursiveParserWrapperHandler;

/** The parsers of Tika behind the two paths of its server that are asked, on loopback, until standard input ends. */
class Engine {
    private static final AutoDetectParser PARSER = new AutoDetectParser();
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/version", asked -> say(asked, Tika.getString().getBytes(StandardCharsets.UTF_8)));
        server.createContext("/rmeta/text", Engine::read);
        server.start();
        while (System.in.read() >= 0) { }
        server.stop(0);
    }

    private static void read(HttpExchange asked) throws IOException {
        Metadata about = new Metadata();
        String named = asked.getRequestHeaders().getFirst("Content-Disposition");
        about.set(TikaCoreProperties.RESOURCE_NAME_KEY, named.replaceAll(".*filename=\"([^\"]*)\".*", "$1"));
        RecursiveParserWrapperHandler handler = new RecursiveParserWrapperHandler(
            new BasicContentHandlerFactory(BasicContentHandlerFactory.HANDLER_TYPE.TEXT, number(asked, "writeLimit")),
            number(asked, "maxEmbeddedResources"));
        try (InputStream body = TikaInputStream.get(asked.getRequestBody())) {
            new RecursiveParserWrapper(PARSER).parse(body, handler, about, new ParseContext());
        } catch (Exception e) {
            System.err.println(e);  // it stands among the metadata
        }
        List<Map<String, Object>> documents = new ArrayList<>();
        for (Metadata each : handler.getMetadataList()) {
            Map<String, Object> document = new LinkedHashMap<>();
            for (String name : each.names()) {
                String[] values = each.getValues(name);
                document.put(name, values.length == 1 ? values[0] : values);
            }
            documents.add(document);
        }
        say(asked, JSON.writeValueAsBytes(documents));
    }

    private static int number(HttpExchange asked, String field) {
        return Integer.parseInt(asked.getRequestHeaders().getFirst(field));
    }

    private static void say(HttpExchange asked, byte[] body) throws IOException {
        asked.sendResponseHeaders(200, body.length);
        asked.getResponseBody().write(body);
        asked.close();
    }
}
